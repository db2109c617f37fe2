"""Several models: the names that they are bound to, the tables that are read for them, and their order."""

from __future__ import annotations

from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.models.constraints import Parquet
from pytest_delta_schema.models.names import Prefix, QualifiedName
from pytest_delta_schema.models.table import Table, derived, required_tables

if TYPE_CHECKING:
    from collections.abc import Iterable


class Binding(NamedTuple):
    """Maps names of models to names in a catalog.

    Args:
        pairs: Prefixes of names in models, each with the prefix that replaces it; both in lower case and of one length.
    """

    pairs: tuple[tuple[Prefix, Prefix], ...] = ()

    def name(self, name: QualifiedName) -> QualifiedName:
        """Return the name in the catalog for one in models; the longest prefix is used."""
        longest = max(
            (pair for pair in self.pairs if name[: len(pair[0])] == pair[0]),
            key=lambda pair: len(pair[0]),
            default=None,
        )
        return name if longest is None else QualifiedName(*longest[1], *name[len(longest[1]) :])

    def table(self, table: Table) -> Table:
        """Return the table in the catalog that a model maps to; the names of its keys stay.

        A folder is converted only for a table of the model's own name, not for one that a binding maps it to.
        """
        name = self.name(table.name)
        parents = [self.name(key.parent) for key in table.foreign_keys]
        if name == table.name and parents == [key.parent for key in table.foreign_keys]:
            return table
        converts = name == table.name or not isinstance(table.convert_from, Parquet) or table.convert_from.path is None
        keys = (
            replace(key, references=str(parent), parent_columns=key.parent_key)
            for key, parent in zip(table.foreign_keys, parents, strict=True)
        )
        conversion = table.convert_from if converts else None
        return derived(table, name, convert_from=conversion, foreign_keys=tuple(keys))

    def unused(self, names: Iterable[QualifiedName]) -> tuple[str, ...]:
        """Return the pairs, as they were written, that map none of these names."""
        known = list(names)
        return tuple(
            f"{'.'.join(prefix)}={'.'.join(target)}"
            for prefix, target in self.pairs
            if not any(name[: len(prefix)] == prefix for name in known)
        )


def names_around(models: Iterable[Table]) -> tuple[QualifiedName, ...]:
    """Return the names of tables and of the parents of their foreign keys, each once and sorted."""
    names = set()
    for model in models:
        names.add(model.name)
        names.update(key.parent for key in model.foreign_keys)
    return tuple(sorted(names))


def snapshot_names(models: Iterable[Table]) -> tuple[QualifiedName, ...]:
    """Return the names of the tables that a ``snapshot`` reads: of models, and of the parents of their foreign keys.

    Args:
        models: What was given to ``snapshot``.

    Returns:
        The names, each once and sorted.

    Raises:
        DeclarationError: If it is not a list of tables.
    """
    return names_around(required_tables(models, "snapshot"))


def dependency_groups(models: Iterable[Table]) -> tuple[tuple[Table, ...], ...]:
    """Sort tables so that parents come first; tables that reference each other in a circle form one group."""
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
