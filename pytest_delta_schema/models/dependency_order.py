"""Sort tables so that parents come before the tables whose foreign keys reference them."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table


def dependency_groups(models: Iterable[Table]) -> tuple[tuple[Table, ...], ...]:
    """Sort tables so that parents come first; tables that reference each other in a circle form one group.

    Each name is once among the models. Parents that are not among them do not count. Nearly all groups have one table;
    they are sorted by name where nothing else decides.
    """
    tables = {model.name: model for model in sorted(models, key=lambda model: model.name)}
    parents = {name: {key.parent for key in model.foreign_keys} & tables.keys() for name, model in tables.items()}
    # Each table is a group by itself at first; the tables of a circle become one group, named by its first table.
    group_of = {name: name for name in tables}
    while True:
        graph: dict[QualifiedName, set[QualifiedName]] = {}
        for name, above in parents.items():
            graph.setdefault(group_of[name], set()).update(group_of[parent] for parent in above)
        for name, above in graph.items():
            above.discard(name)
        try:
            order = _sorted(graph)
        except CycleError as error:
            circle = set(error.args[1])
            first = min(circle)
            group_of = {name: first if group in circle else group for name, group in group_of.items()}
        else:
            return tuple(tuple(tables[name] for name in tables if group_of[name] == group) for group in order)


def _sorted(graph: dict[QualifiedName, set[QualifiedName]]) -> list[QualifiedName]:
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    order: list[QualifiedName] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order.extend(ready)
        sorter.done(*ready)
    return order
