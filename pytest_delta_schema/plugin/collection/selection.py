"""The items of a run: their order, and the tables and settings that they concern."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.models.binding import Binding
from pytest_delta_schema.plugin.collection.model_collection import METADATA, ContractItem
from pytest_delta_schema.plugin.items.import_items import CatalogListing
from pytest_delta_schema.plugin.items.project_items import ProjectItem
from pytest_delta_schema.plugin.items.unmanaged_items import SchemaItem
from pytest_delta_schema.plugin.options.option_values import ADOPT, APPLY, DRIFT, SYNC
from pytest_delta_schema.plugin.run.stash_keys import RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pytest

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.run.contract_run import ContractRun

_RULES = "rules"
_READ, _APPLY, _SCRATCH = 1, 2, 3
"""The phases of a run after that without a catalog; checks and tests of the last one create tables of their own."""
_SKIPPING = frozenset({"skip", "skipif", "xfail"})
"""The marks of pytest with which an item may not run."""


def sort_items(items: Sequence[pytest.Item], run: ContractRun) -> list[pytest.Item]:
    """Sort items: those without a catalog, those that read it, those that change it, then other tests that use it.

    Among those that change it, parents come before the tables whose foreign keys point at them.
    """

    def rank(item: pytest.Item) -> tuple[int, int]:
        phase = _phase(item)
        return phase, run.declarations.apply_rank(item.cls.table) if isinstance(
            item, ContractItem
        ) and phase == _APPLY else 0

    return sorted(items, key=rank)


def selected_tables(items: Iterable[pytest.Item]) -> list[Table]:
    """Return the tables that ``items`` compare with a catalog, each once."""
    tables = [item.cls.table for item in items if isinstance(item, ContractItem) and _phase(item) in {_READ, _APPLY}]
    return list({table.name: table for table in tables}.values())


def changing_items(items: Iterable[pytest.Item], run: ContractRun) -> list[pytest.Function]:
    """Return the items that apply a table, synchronise its entry or accept its drift, and that no mark may skip."""
    check = {SYNC: METADATA, ADOPT: ADOPT}.get(run.options.mode or "", APPLY)
    changes = [item for item in items if isinstance(item, ContractItem) and item.originalname == check]
    return [item for item in changes if not any(mark.name in _SKIPPING for mark in item.iter_markers())]


def tables_with_rules(items: Iterable[pytest.Item]) -> set[QualifiedName]:
    """Return the names of the models whose declaration one of ``items`` checks."""
    return {item.cls.table.name for item in items if isinstance(item, ContractItem) and item.originalname == _RULES}


def bindings_that_fail(run: ContractRun) -> list[str]:
    """Return a message for each binding that maps no collected table, and for tables that map to the same one."""
    if not run.settings.bindings:
        return []
    names = _names(run.tables)
    faults = [
        f"binding {pair!r} maps no table of this run; collected are {names}"
        for pair in Binding(run.settings.bindings).unused(run.tables)
    ]
    owners: dict[object, object] = {}
    for name, table in run.tables.items():
        bound_name = run.declarations.bound(table).name
        first = owners.setdefault(bound_name, name)
        if first != name:
            faults.append(f"{first} and {name} are both bound to {bound_name}; bind them apart")
    return faults


def _names(tables: Iterable[object]) -> str:
    return ", ".join(sorted(map(str, tables))) or "none"


def is_check(item: pytest.Item) -> bool:
    """Whether an item is a check of a table or of a schema, or an import, and no test."""
    return isinstance(item, (ContractItem, SchemaItem, CatalogListing, ProjectItem))


def _phase(item: pytest.Item) -> int:
    if isinstance(item, SchemaItem):
        return _READ
    if isinstance(item, ContractItem):
        if item.originalname == METADATA:
            return _READ if item.config.stash[RUN].options.mode == DRIFT else _APPLY
        return {"drift": _READ, "adopt": _READ, "apply": _APPLY, "enforces": _SCRATCH}.get(item.originalname, 0)
    fixtures = getattr(item, "fixturenames", ())
    return _SCRATCH if "delta_spark" in fixtures or "delta_catalog" in fixtures else 0
