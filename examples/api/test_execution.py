"""Running plans, and the protocols of catalogs, without a JVM."""

from contextlib import contextmanager, nullcontext
from dataclasses import replace

import pytest
from changes import AMOUNT, ID, table

from models import orders
from pytest_delta_schema import MemoryCatalog, Orchestrator, QualifiedName, UnsafePlanError
from pytest_delta_schema.engine import Gate, SyncResult, TableOutcome, current_settings
from pytest_delta_schema.execute import (
    ActionRunner,
    AlignExecutor,
    ApplyInterrupted,
    Capabilities,
    Catalog,
    ClonesTables,
    CreateExecutor,
    CreatesConcurrently,
    DataCheckRunner,
    DeltaDDL,
    ExplainsEmptySchemas,
    IdentifiesTables,
    InterruptedTable,
    ListsParquet,
    ListsViews,
    ReadsRows,
    Refusal,
    ReusesCreations,
    RowCounts,
    RunningOutcome,
    ScratchCatalog,
    StillRunning,
    TableResult,
)
from pytest_delta_schema.plan import NotNull, PartitionValue
from pytest_delta_schema.sql import StatementKind, statements
from pytest_delta_schema.state import CheckState, ColumnPath, ColumnState, KeyState, TableState

WIDER = table(ID, AMOUNT, comment="Orders")
COPY = QualifiedName("dev", "silver", "copy")


@pytest.fixture
def catalog():
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([table(ID)])
    return catalog


def test_sync_result(catalog):
    result = Orchestrator.over(catalog).sync_tables([WIDER])

    assert isinstance(result, SyncResult)
    assert [statement.kind.value for statement in result.statements] == ["add columns", "comment on table"]
    assert result.error is None


def test_table_result(catalog):
    (result,) = Orchestrator.over(catalog).apply([WIDER]).tables

    assert isinstance(result, TableResult)
    assert (str(result.table), len(result.statements), result.error) == ("dev.silver.orders", 2, None)


def test_gate(catalog):
    gate = Gate(catalog, [WIDER])  # reads the catalog once

    assert gate.drift(WIDER).status.value == "drifted"
    assert gate.apply(WIDER).status.value == "applied"


def test_table_outcome(catalog):
    outcome = Gate(catalog, [WIDER]).drift(WIDER)

    assert [(change.marker, change.path, change.risk) for change in outcome.changes] == [
        ("+", "columns.amount", "metadata"),
        ("~", "comment", "metadata"),
    ]
    assert TableOutcome.from_json(outcome.to_json()) == outcome


def test_current_settings():
    assert current_settings().max_risk == "destructive"  # that of the pytest run, here the default


def test_action_runner(catalog):
    plan = Orchestrator.over(catalog).plan_tables([WIDER])

    ran = ActionRunner.over(catalog, restores=True).apply(plan)

    assert [statement.kind.value for statement in ran] == ["add columns", "comment on table"]


def test_align_executor(catalog):
    runner = ActionRunner(CreateExecutor(catalog), AlignExecutor(catalog, restores=True))

    Orchestrator(catalog, runner).sync_tables([WIDER])

    assert Orchestrator.over(catalog).plan_tables([WIDER]).is_empty


class Interrupted(MemoryCatalog):
    """A catalog whose user presses Ctrl-C when a table gets its comment."""

    def run(self, statement):
        if statement.kind is StatementKind.COMMENT_TABLE:
            raise KeyboardInterrupt
        super().run(statement)


@pytest.fixture
def stopped(catalog):
    return Interrupted(catalog.read_tables([WIDER.name]).tables.values())


def test_apply_interrupted(stopped):
    restoring = "to restore:  RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0"

    with pytest.raises(ApplyInterrupted, match=restoring) as caught:
        Orchestrator.over(stopped).sync_tables([WIDER])

    assert not caught.value.still_running


def test_interrupted_table(stopped):
    with pytest.raises(ApplyInterrupted) as caught:
        Orchestrator.over(stopped).sync_tables([WIDER])

    (progress,) = caught.value.tables
    assert isinstance(progress, InterruptedTable)
    assert [statement.kind.value for statement in progress.done] == ["add columns"]
    assert progress.outcome is RunningOutcome.NOT_COMMITTED


def test_still_running(catalog):
    class Unstoppable(MemoryCatalog):
        def run(self, _):
            raise StillRunning  # the server has not stopped the statement

    with pytest.raises(ApplyInterrupted) as caught:
        Orchestrator.over(Unstoppable(catalog.read_tables([WIDER.name]).tables.values())).sync_tables([WIDER])

    assert caught.value.still_running


def test_delta_ddl(catalog):
    ddl: DeltaDDL = catalog
    (action,) = Orchestrator.over(catalog).plan_tables([table(ID, comment="Orders")]).actions

    for statement in statements(action):
        ddl.run(statement)

    assert ddl.version(orders.name) == 1


def test_catalog(catalog):
    whole: Catalog = catalog  # what Orchestrator.over and every assertion take

    assert whole.name == "memory"
    assert whole.table_names("dev", "silver") == (orders.name,)


def test_scratch_catalog():
    scratch: ScratchCatalog = MemoryCatalog()

    scratch.create_schema("dev", "silver")
    Orchestrator.over(scratch).sync_tables([orders])
    scratch.insert(orders.name, [{"id": 1, "amount": 5}])
    scratch.drop_schema("dev", "silver")

    assert scratch.table_names("dev", "silver") == ()


def test_capabilities():
    no_tags = Refusal("it stores no tags", "leave them out")

    class WithoutTags(MemoryCatalog):
        capabilities = Capabilities(
            emulates=frozenset({StatementKind.LOOSEN_COLUMNS}),
            refuses=lambda statement: no_tags if statement.kind is StatementKind.SET_TAGS else None,
        )

    with pytest.raises(UnsafePlanError, match="the memory backend cannot set tags: it stores no tags; leave them out"):
        Orchestrator.over(WithoutTags()).sync_tables([table(ID, tags={"team": "sales"})])


def test_data_check_runner(catalog):
    catalog.insert(orders.name, [{"id": 1}, {"id": 1}, {"id": 2}])
    runner: DataCheckRunner = catalog.data_checks(orders.name)
    key = KeyState("key", ("id",))

    assert runner.count_rows([key]).broken == (1,)
    assert set(runner.sample_rows([key], [["id"]], number=5)[0]) == {("1",)}


def test_row_counts(catalog):
    catalog.insert(orders.name, [{"id": 1}, {"id": 1}, {"id": 2}])

    counts = catalog.data_checks(orders.name).count_rows([KeyState("key", ("id",))])

    assert counts == RowCounts(rows=3, broken=(1,))


def test_not_null():
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([orders])
    catalog.insert(orders.name, [{"id": 1, "amount": 5, "status": None}])

    checks = [NotNull(ColumnPath("status")), CheckState("large", "amount > 100")]  # each is a DataCheck

    assert catalog.data_checks(orders.name).count_rows(checks).broken == (1, 1)


def test_partition_value():
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([orders])
    catalog.insert(orders.name, [{"id": 1, "amount": 5, "status": ""}])  # a partition reads "" as NULL

    check = PartitionValue(column="status", data_type="string")

    assert catalog.data_checks(orders.name).count_rows([check]).broken == (1,)


def test_reads_rows(catalog):
    catalog.insert(orders.name, [{"id": 1}])

    assert isinstance(catalog, ReadsRows)
    assert catalog.rows(orders.name) == [{"id": 1}]


def test_clones_tables(catalog):
    assert isinstance(catalog, ClonesTables)

    catalog.clone_table(orders.name, COPY)

    assert catalog.table_names("dev", "silver") == (COPY, orders.name)


def test_creates_concurrently():
    class Pooled(MemoryCatalog):
        def creating_concurrently(self):
            return nullcontext(4)  # threads

    catalog = Pooled()
    assert isinstance(catalog, CreatesConcurrently)

    Orchestrator.over(catalog).sync_tables([orders, replace(orders, table_name="returns")])

    assert len(catalog.table_names("dev", "silver")) == 2


def test_reuses_creations():
    class WithTemplates(MemoryCatalog):
        @contextmanager
        def reuse_creations(self):
            yield  # inside of the block, run copies the files of an equal creation

    assert isinstance(WithTemplates(), ReusesCreations)


def test_lists_views():
    view = TableState(name=COPY, columns=(ColumnState("id", "bigint", is_nullable=True, comment=""),), kind="view")
    catalog = MemoryCatalog([view])

    assert isinstance(catalog, ListsViews)
    assert catalog.view_names("dev", "silver") == (COPY,)
    assert catalog.table_names("dev", "silver") == ()


def test_lists_parquet():
    class WithFolders(MemoryCatalog):
        def parquet_names(self, catalog, schema):
            return (QualifiedName(catalog, schema, "legacy"),)

    assert isinstance(WithFolders(), ListsParquet)


def test_explains_empty_schemas():
    class WithReasons(MemoryCatalog):
        def why_empty(self, catalog, schema):
            return f"{catalog} has no schema {schema}; its only schema is silver"

    assert isinstance(WithReasons(), ExplainsEmptySchemas)


def test_identifies_tables():
    class WithIds(MemoryCatalog):
        def table_id(self, table):
            return f"id of {table}"

    assert isinstance(WithIds(), IdentifiesTables)
