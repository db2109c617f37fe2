"""What a change costs, what it refuses, and how it fails."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import pytest
from pyspark.sql.types import DecimalType, TimestampType

from pytest_delta_schema import ApplyError, Column, Orchestrator, UnsafePlanError, assert_table_equals
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.backends.spark.statements import set_not_null
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import ActionRunner, RowCounts
from pytest_delta_schema.plan import NotNull
from pytest_delta_schema.sql import Statement, StatementKind, statements
from support.tables import NAME, column, operations, orders, table

pytestmark = pytest.mark.spark


@pytest.fixture
def before(local):
    """The worked example's table, as it is found."""
    Orchestrator.over(local).sync_tables([table(column(), Column("created_ts", TimestampType()))])
    return local


def test_creating_costs_one_commit_and_one_for_the_key(local):
    orchestrator = Orchestrator.over(local)

    orchestrator.sync_tables([table(column(), name="dev.silver.plain")])
    orchestrator.sync_tables([orders()])

    assert local.version(NAME._replace(table="plain")) == 0
    assert local.version(NAME) == 1


def test_an_alignment_costs_one_commit_a_statement(before):
    result = Orchestrator.over(before).sync_tables([orders()])

    assert [statement.kind for statement in result.statements] == [
        StatementKind.ADD_COLUMNS,
        StatementKind.TIGHTEN_COLUMNS,
        StatementKind.ADD_PRIMARY_KEY,
        StatementKind.COMMENT_COLUMNS,
        StatementKind.COMMENT_TABLE,
        StatementKind.SET_PROPERTIES,
    ]
    assert before.version(NAME) == 6
    assert Orchestrator.over(before).sync_tables([orders()]).statements == ()
    assert before.version(NAME) == 6


def test_history_names_every_step(before):
    Orchestrator.over(before).sync_tables([orders()])

    assert operations(before) == [
        "CREATE TABLE",
        "ADD COLUMNS",
        "SET NOT NULL",
        "SET TBLPROPERTIES",
        "CHANGE COLUMNS",
        "SET TBLPROPERTIES",
        "SET TBLPROPERTIES",
    ]


def test_the_table_still_reads_and_writes_after_everything(before):
    before.insert(NAME, [{"id": 1}])
    Orchestrator.over(before).sync_tables([orders()])

    row = {"ID": 2, "amount": 1, "created_ts": datetime(2026, 1, 1, tzinfo=timezone.utc)}
    before.insert(NAME, [row])

    assert_table_equals(orders(), [{"id": 1}, row], catalog=before)
    with pytest.raises(StatementError, match="NOT NULL constraint violated for column: id"):
        before.insert(NAME, [{"id": None}])


def test_not_null_over_nulls_is_refused_with_their_count_and_nothing_is_changed(before):
    before.insert(NAME, [{"id": None}, {"id": None}, {"id": 3}])

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(before).sync_tables([orders()])

    assert str(caught.value) == (
        "dev.silver.orders: column id cannot be NOT NULL, because 2 rows hold NULL in it, of 3; fill them (they are listed"
        " by SELECT * FROM `dev`.`silver`.`orders` WHERE `id` IS NULL), or declare it nullable [DS301 NullsInColumn]"
    )
    assert before.version(NAME) == 1


def test_the_statement_itself_refuses_nulls_as_well(before):
    before.insert(NAME, [{"id": None}])
    (action,) = Orchestrator.over(before).plan_tables([orders()]).actions
    statement = next(statement for statement in statements(action) if statement.kind is StatementKind.TIGHTEN_COLUMNS)

    with pytest.raises(UnsafePlanError, match="1 row holds NULL in it, of 1"):
        before.run(statement)

    assert before.version(NAME) == 1


def test_a_row_that_is_appended_during_the_data_checks_stops_the_commit(before):
    def count(_demands, _version):
        before.insert(NAME, [{"id": None}])
        return RowCounts(rows=0, broken=(0,))

    with (
        pytest.raises(StatementError, match="DELTA_CONCURRENT_APPEND"),
        translate_errors(before.bridge.with_logical_names),
    ):
        set_not_null(before.bridge.gateway, NAME, [ColumnPath("id")], count)

    assert before.version(NAME) == 1
    assert before.snapshot([orders()]).tables[NAME].columns[0].is_nullable


def test_the_key_is_kept_in_a_property_that_is_hidden(local):
    Orchestrator.over(local).sync_tables([orders()])

    state = local.snapshot([orders()]).tables[NAME]
    rows = local.spark.sql("SHOW TBLPROPERTIES dev.silver.orders").collect()

    (stored,) = [row.value for row in rows if row.key.startswith("pytest_delta_schema.")]
    assert json.loads(stored) == {"name": "pk_dev_silver_orders__id", "columns": ["id"]}
    assert not any(key.startswith("pytest_delta_schema.") for key in state.table_properties)


def test_a_failed_creation_leaves_no_dirty_folder(local, warehouse):
    model = table(column(), table_properties={"delta.appendOnly": "perhaps"})

    with pytest.raises(ApplyError) as caught:
        Orchestrator.over(local).sync_tables([model])

    assert 'For input string: "perhaps"' in str(caught.value)
    assert "to restore:  the table does not exist, nothing is lost" in str(caught.value)
    assert not table_folder(warehouse, NAME).exists()
    Orchestrator.over(local).sync_tables([table(column())])
    assert local.version(NAME) == 0


def test_a_statement_that_fails_midway_and_how_to_continue(before, monkeypatch):
    run, broken = before.run, [True]

    def failing(statement):
        if broken and statement.kind is StatementKind.COMMENT_COLUMNS:
            run(Statement(table=NAME, kind=StatementKind.COMMENT_COLUMNS, sql="ALTER TABLE dev.silver.orders NONSENSE"))
        run(statement)

    monkeypatch.setattr(before, "run", failing)
    with pytest.raises(ApplyError) as caught:
        Orchestrator.over(before).sync_tables([orders()])

    assert (len(caught.value.done), len(caught.value.not_run), caught.value.version) == (3, 2, 0)
    assert "statement 4 of 6 failed: " in str(caught.value)
    assert "PARSE_SYNTAX_ERROR" in str(caught.value)
    assert "to restore:  RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0" in str(caught.value)
    broken.clear()
    assert len(Orchestrator.over(before).sync_tables([orders()]).statements) == 3


@pytest.mark.parametrize("meanwhile", [False, True])
def test_the_restore_undoes_the_apply_unless_another_writer_has_committed_since(before, monkeypatch, meanwhile):
    was = before.snapshot([orders()]).tables[NAME]
    run = before.run

    def failing(statement):
        if statement.kind is StatementKind.ADD_PRIMARY_KEY:
            if meanwhile:
                before.insert(NAME, [{"id": 7}])
            raise StatementError("no more")
        run(statement)

    monkeypatch.setattr(before, "run", failing)

    with pytest.raises(ApplyError) as caught:
        Orchestrator(before, ActionRunner.over(before, restores=True)).sync_tables([orders()])

    now = before.snapshot([orders()]).tables[NAME]
    assert before.version(NAME) == 3
    if meanwhile:
        assert "to restore:  not restored, because somebody else has committed since" in str(caught.value)
        assert before.data_checks(NAME).count_rows().rows == 1
    else:
        assert "to restore:  restored to version 0: RESTORE TABLE" in str(caught.value)
        assert (now.columns, now.table_comment, now.primary_key) == (was.columns, was.table_comment, was.primary_key)


def test_catalogs_with_one_schema_name_stay_apart(local):
    dev, prod = table(column()), table(column("other"), name="prod.silver.orders")

    Orchestrator.over(local).sync_tables([dev, prod])
    local.insert(dev.name, [{"id": 1}])

    assert local.spark.sql("SELECT * FROM dev.silver.orders").columns == ["id"]
    assert local.spark.sql("SELECT * FROM prod.silver.orders").columns == ["other"]
    assert local.spark.table("prod.silver.orders").count() == 0
    assert [row.tableName for row in local.spark.sql("SHOW TABLES IN dev.silver").collect()] == ["orders"]


def test_pipelines_write_and_read_by_three_part_names(local):
    Orchestrator.over(local).sync_tables([orders()])
    spark = local.spark

    spark.sql("SELECT 7 AS id, current_timestamp() AS created_ts, CAST(1 AS DECIMAL(18,2)) AS amount").writeTo(
        "dev.silver.orders"
    ).append()
    spark.sql("INSERT INTO dev.silver.orders (id) VALUES (8)")
    spark.sql("MERGE INTO dev.silver.orders t USING (SELECT 7 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    spark.sql("UPDATE dev.silver.orders SET amount = 2 WHERE id = 8")
    spark.sql("CREATE TABLE dev.silver.copy AS SELECT id FROM dev.silver.orders")

    assert [row.id for row in spark.table("dev.silver.copy").collect()] == [8]


def test_errors_speak_of_users_names(local):
    Orchestrator.over(local).sync_tables([table(column())])

    for text in (
        "SELECT nothing FROM dev.silver.orders",
        "SELECT * FROM dev.silver.missing",
        "ALTER TABLE dev.silver.orders DROP COLUMN id",
    ):
        with pytest.raises(StatementError) as caught:
            local.run(Statement(table=NAME, kind=StatementKind.SET_PROPERTIES, sql=text))
        assert "dev__silver" not in str(caught.value)
        assert "\tat " not in str(caught.value)


def test_dropping_a_schema_takes_half_made_tables_along(local, warehouse):
    Orchestrator.over(local).sync_tables([table(column())])
    dirty = table_folder(warehouse, NAME._replace(table="dirty"))
    (dirty / "_delta_log").mkdir(parents=True)

    local.drop_schema("dev", "silver")
    local.drop_schema("dev", "silver")

    assert not dirty.exists()
    assert not local.snapshot([table(column())]).tables[NAME].schema_exists


def test_a_schema_with_tables_is_not_dropped_by_accident(local):
    Orchestrator.over(local).sync_tables([table(column())])

    with pytest.raises(StatementError, match="SCHEMA_NOT_EMPTY"):
        local.run(Statement(table=NAME, kind=StatementKind.CREATE_SCHEMA, sql="DROP SCHEMA dev.silver RESTRICT"))

    assert local.version(NAME) == 0


def test_rows_must_fit(local):
    Orchestrator.over(local).sync_tables([table(column(), Column("a", DecimalType(3, 2)))])

    with pytest.raises(
        StatementError, match=r"row 1: there is no column x; .*\n.*row 2: there is no column y; columns are id, a"
    ):
        local.insert(NAME, [{"id": 1, "x": 1}, {"y": 2}])
    with pytest.raises(StatementError):
        local.insert(NAME, [{"id": "text"}])

    assert local.data_checks(NAME).count_rows([NotNull(ColumnPath("id"))]) == RowCounts(rows=0, broken=(0,))
