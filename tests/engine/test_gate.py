"""The states that a gate has, and the parents of foreign keys that it reads besides."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema import (
    Check,
    DeltaSchemaError,
    ForeignKey,
    MemoryCatalog,
    Orchestrator,
    QualifiedName,
    Settings,
    Table,
)
from pytest_delta_schema.diagnostics.errors import ApplyErrors, BackendUnavailableError, Diagnostic
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.state import CatalogState, ColumnState, KeyState
from support.catalogs import Recording
from support.models import NAME, column, state, stored, table
from support.snapshots import TextSnapshot

if TYPE_CHECKING:
    from collections.abc import Mapping


class Counting(MemoryCatalog):
    reads = 0

    def snapshot(self, models):
        self.reads += 1
        return super().snapshot(models)


class Down(MemoryCatalog):
    def snapshot(self, _models):
        raise BackendUnavailableError("no route to host")


class View(MemoryCatalog):
    def snapshot(self, _models):
        return CatalogState.of({NAME: Diagnostic(table=str(NAME), message="is a view")})


BOUND = QualifiedName("ci", "silver", "orders")
ID = ColumnState("id", "bigint", True, "")


def test_the_states_are_those_of_the_bound_table_under_the_settings():
    catalog = Counting([state(stored("old"), name=BOUND)])
    settings = Settings(bindings=((("dev",), ("ci",)),), default_properties=(("team", "sales"),))
    model = table(column())
    gate = Gate(catalog, [model], settings=settings)
    gate.drift(model)

    desired, observed = gate.states(model)

    assert (desired.name, desired.logical_name, desired.columns) == (BOUND, NAME, (ID,))
    assert desired.table_properties == {"team": "sales"}
    assert observed is not None
    assert (observed.name, observed.columns) == (BOUND, (stored("old"),))
    assert catalog.reads == 1


def test_the_observed_state_is_what_was_read_if_anything_was():
    model = table(column())
    new, unread = MemoryCatalog(), Counting()
    applied = Gate(new, [model], settings=Settings())
    applied.apply(model)

    _, before = applied.states(model)
    assert before is not None
    assert not before.exists
    assert Gate(unread, [model], settings=Settings()).states(model)[1] is None
    assert unread.reads == 0
    for catalog in (Down(), View()):
        gate = Gate(catalog, [model], settings=Settings())
        gate.drift(model)

        desired, observed = gate.states(model)
        assert (desired.columns, observed) == ((ID,), None)


PARENT = QualifiedName("dev", "silver", "customers")
CHILD = QualifiedName("dev", "silver", "orders")


def customers(*key: str, **options):
    columns = [column(name, is_nullable=False) for name in ("id", "region")]
    return table(*columns, name=str(PARENT), primary_key=key or ["id"], **options)


def orders(parent=None, **options):
    keys = [] if parent is None else [ForeignKey(["customer_id"], parent)]
    return table(column(), column("customer_id"), name=str(CHILD), foreign_keys=keys, **options)


def circle():
    columns = [column(is_nullable=False), column("a")]
    left = [ForeignKey(["a"], "dev.gold.right")]
    right = [ForeignKey(["a"], "dev.silver.left"), ForeignKey(["id"], "dev.gold.right")]
    return [
        table(*columns, name="dev.silver.left", primary_key=["id"], foreign_keys=left),
        table(*columns, name="dev.gold.right", primary_key=["id"], foreign_keys=right),
    ]


def staff(*keys):
    columns = [column(is_nullable=False), column("boss")]
    return table(*columns, name="dev.silver.staff", primary_key=["id"] if keys else [], foreign_keys=keys)


class Sync(NamedTuple):
    """Models that are applied over others, in the presence of rows and of other models."""

    before: list[Table]
    after: list[Table]
    rows: Mapping[QualifiedName, list[dict[str, Any]]] = MappingProxyType({})
    other_models: tuple[Table, ...] = ()
    fail: tuple[Any, ...] = ()
    old_key: bool = False


def syncs():
    """Return applies of tables with foreign keys."""
    parent, child, wider = customers("id"), orders(customers("id")), customers("id", "region")
    keys = [ForeignKey(["customer_id", "region"], wider)]
    wide = replace(orders(), columns=[*orders().columns, column("region")], foreign_keys=keys)
    positive = customers("id", checks=[Check("positive", "id > 0")])
    lines = table(column(), name="dev.silver.lines", foreign_keys=[ForeignKey(["id"], str(CHILD))])
    keyed = table(
        column(is_nullable=False),
        column("customer_id"),
        name=str(CHILD),
        primary_key=["id"],
        foreign_keys=[ForeignKey(["customer_id"], positive)],
    )
    boss = staff(ForeignKey(["boss"], "dev.silver.staff"))
    orphans = {
        PARENT: [{"id": 1, "region": 1}],
        CHILD: [{"id": 1, "customer_id": 1}, {"id": 2, "customer_id": 7}, {"id": 3}],
    }
    commented = customers("id", comment="New")
    key_fails, comment_fails = (StatementKind.ADD_PRIMARY_KEY, "customers"), (StatementKind.COMMENT_TABLE, "customers")
    return {
        "a circle: foreign keys come when all tables are there": Sync([], circle()),
        "foreign keys step aside when the key they point at changes": Sync([parent, child], [parent], old_key=True),
        "a key and the foreign key that points at it change together": Sync([parent, child], [wide, wider]),
        "a parent alone drops what a known child does not want": Sync(
            [parent, child], [wider], other_models=[orders()]
        ),
        "a key that an undeclared table references is not dropped": Sync([parent, child], [wider]),
        "rows without a parent block the plan": Sync([parent, orders()], [orders(parent, comment="New")], orphans),
        "a parent that its data holds back holds back its children": Sync(
            [parent, orders()],
            [positive, keyed, lines, table(column(), name="dev.silver.other")],
            {PARENT: [{"id": -1, "region": 1}]},
        ),
        "a parent that fails midway gets no new foreign keys": Sync([], [parent, child], fail=(key_fails,)),
        "a dropped foreign key is added again": Sync([parent, child], [commented], fail=(comment_fails,), old_key=True),
        "to itself": Sync([staff()], [boss], {boss.name: [{"id": 1}, {"id": 2, "boss": 1}]}),
        "to itself, without a row": Sync([staff()], [boss], {boss.name: [{"id": 1}, {"id": 3, "boss": 9}]}),
    }


def told(sync):
    """Return how an apply ends, what has run, which foreign keys there are, and what is left to do."""
    catalog = Recording()
    Orchestrator.over(catalog).sync_tables(sync.before)
    for name, rows in sync.rows.items():
        catalog.insert(name, rows)
    if sync.old_key:
        catalog._tables[PARENT] = replace(catalog._tables[PARENT], primary_key=KeyState("old", ("id",)))
    catalog.ran.clear()
    catalog.tables.clear()
    catalog.fail = sync.fail
    try:
        Orchestrator.over(catalog).sync_tables(sync.after, other_models=sync.other_models)
        left = [str(action.table) for action in Orchestrator.over(catalog).plan_tables(sync.after).actions]
        end = [f"done, left to do: {left}"]
    except (DeltaSchemaError, ApplyErrors) as error:
        end = [f"{type(error).__name__}: {error}"]
    there = {name.table: [key.name for key in table.foreign_keys] for name, table in catalog._tables.items()}
    return [*end, f"ran: {', '.join(catalog.story) or 'nothing'}", f"foreign keys: {there}"]


def test_tables_with_foreign_keys(snapshot):
    lines = [line for name, sync in syncs().items() for line in (f"==== {name}", *told(sync))]

    assert "\n".join([*lines, ""]) == snapshot(extension_class=TextSnapshot)
