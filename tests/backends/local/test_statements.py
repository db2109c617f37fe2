"""What a change costs, refuses and leaves, of layouts, properties, protocols and tables of Iceberg clients."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.types import TimestampType

from pytest_delta_schema import ApplyError, Column, Orchestrator, Settings
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark import statements as layout_statements
from pytest_delta_schema.delta.fields import widens_in_iceberg
from pytest_delta_schema.delta.properties import equal_values
from pytest_delta_schema.delta.protocol import supported_features
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.plan import Risk, TablePlanner
from pytest_delta_schema.rules import Consent
from pytest_delta_schema.sql import StatementKind, dotted
from pytest_delta_schema.sql.renderers import select_all
from support.log_readers import WAYS
from support.models import NAME, column, operations, orders, table

pytestmark = pytest.mark.spark


@pytest.fixture
def before(local):
    """The worked example's table, as it is found."""
    Orchestrator.over(local).sync_tables([table(column(), Column("created_ts", TimestampType()))])
    return local


def test_a_failed_creation_leaves_no_dirty_folder(local, warehouse):
    features = {"delta.feature.allowColumnDefaults": "supported"}
    model = table(column(), column("v", default="no_such()"), table_properties=features)

    with pytest.raises(ApplyError) as caught:
        Orchestrator.over(local).sync_tables([model])

    assert "no_such" in str(caught.value)
    assert "to restore:  the table does not exist, nothing is lost" in str(caught.value)
    assert not table_folder(warehouse, NAME).exists()
    Orchestrator.over(local).sync_tables([table(column())])
    assert local.version(NAME) == 0


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
        "dev.silver.orders",
    ).append()
    spark.sql("INSERT INTO dev.silver.orders (id) VALUES (8)")
    spark.sql("MERGE INTO dev.silver.orders t USING (SELECT 7 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    spark.sql("UPDATE dev.silver.orders SET amount = 2 WHERE id = 8")
    spark.sql("CREATE TABLE dev.silver.copy AS SELECT id FROM dev.silver.orders")

    assert [row.id for row in spark.table("dev.silver.copy").collect()] == [8]


@pytest.fixture
def lay_out(local):
    """Partition a table with two rows by ``d``."""
    Orchestrator.over(local).sync_tables([table(column(), column("d"))])
    local.insert(NAME, [{"id": 1, "d": 1}, {"id": 2, "d": 2}])
    agreed = Settings(consents=(Consent("rewrite", str(NAME)),))
    after = table(column(), column("d"), partitioned_by=["d"])
    return lambda: Orchestrator.over(local, settings=agreed).sync_tables([after])


def test_a_row_that_is_written_during_a_rewrite_stops_it_and_is_kept(local, monkeypatch, lay_out):
    def slowly(source):
        local.insert(NAME, [{"id": 3, "d": 3}])
        return select_all(source)

    monkeypatch.setattr(layout_statements, "select_all", slowly)
    with pytest.raises(ApplyError, match=r"ConcurrentAppend|DELTA_CONCURRENT_APPEND"):
        lay_out()

    state = local.snapshot([table(column())]).tables[NAME]
    assert state.partitioning == ()
    assert local.data_checks(NAME).count_rows().rows == 3


def test_a_rewrite_that_would_change_data_changes_nothing(local, monkeypatch, lay_out):
    for sql, message in (
        ("SELECT * FROM {} LIMIT 1", "there are 1 rows instead of 2"),
        ("SELECT id, nullif(d, 2) AS d FROM {}", "the values of column d (bigint) differ"),
        ("SELECT id, 3 - d AS d FROM {}", "values were swapped between rows"),
    ):
        monkeypatch.setattr(layout_statements, "select_all", sql.format)

        with pytest.raises(ApplyError) as caught:
            lay_out()

        story = (
            f"failed: dev.silver.orders: the rewrite would change data: {message}; nothing was changed, keep the layout"
        )
        assert story in str(caught.value)
        state = local.snapshot([table(column())]).tables[NAME]
        assert (state.partitioning, state.version) == ((), 1)
        assert local.spark.table(dotted(NAME)).orderBy("id").collect() == [(1, 1), (2, 2)]
        (left,) = table_folder(local.warehouse, NAME).rglob("*.parquet")
        assert left.parent == table_folder(local.warehouse, NAME)


def test_a_rewrite_scans_the_rows_three_times_and_streams_do_not_read_them_again(local, monkeypatch, lay_out):
    jobs = []
    for name in ("table_fingerprint", "select_all"):
        real = getattr(layout_statements, name)
        monkeypatch.setattr(
            layout_statements, name, lambda *args, name=name, real=real: jobs.append(name) or real(*args)
        )

    lay_out()

    assert jobs == ["table_fingerprint", "select_all", "table_fingerprint"]
    newest = max((table_folder(local.warehouse, NAME) / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in newest.read_text("utf-8").splitlines()]
    files = [
        (kind, part["dataChange"]) for action in actions for kind, part in action.items() if kind in ("add", "remove")
    ]
    assert sorted(files) == [("add", False), ("add", False), ("remove", False)]
    assert operations(local)[-1] == "REPLACE LAYOUT"


INTERVALS = [
    *("interval 30 days", "INTERVAL '30' DAY", "interval '30' day", "30 days", "interval 1 week 2 days", "9 days"),
    *("1 day", "interval 25 hours -1 hours", "  INTERVAL   1   DAY "),
    *("interval 1 day ago", "interval -1 day", "interval -24 hours", "interval 0.5 days", "12 hours"),
    *("interval 1.5 seconds", "interval 1500 milliseconds", "interval 1 millisecond", "interval 1000 microseconds"),
    *("interval 1001 microseconds", "interval 999 microseconds", "interval 0 days", "interval 1 month"),
    *("interval 1 nanosecond", "interval 1.0 second", "1 seconds", "1 weeks"),
]


def test_intervals_are_equal_where_delta_reads_the_same(local):
    configs = local.spark._jvm.org.apache.spark.sql.delta.DeltaConfigs

    def read(text):
        """Return how long an interval is for Delta, ``None`` for one that it refuses."""
        try:
            interval = configs.parseCalendarInterval(text)
        except PySparkException:
            return None
        return configs.getMilliSeconds(interval) if configs.isValidIntervalConfigValue(interval) else None

    lengths = {text: read(text) for text in INTERVALS}
    pairs = list(combinations(INTERVALS, 2))
    expected = [lengths[one] is not None and lengths[one] == lengths[other] for one, other in pairs]

    assert lengths["INTERVAL '30' DAY"] is None
    assert [equal_values("delta.logRetentionDuration", *pair) for pair in pairs] == expected


def test_a_plan_names_what_delta_adds_to_the_protocol(local):
    tables = [way.tables(f"dev.silver.way{index}") for index, way in enumerate(WAYS.values())]
    models = [after for _, after in tables]
    Orchestrator.over(local).sync_tables([before for before, _ in tables])
    before = local.snapshot(models)
    plan = TablePlanner().plan(models, before)

    Orchestrator.over(local).sync_tables(models)

    after = local.snapshot(models)
    assert TablePlanner().plan(models, after).actions == ()
    planned = {str(action.table): action.changes for action in plan.align_tables}
    protocols = [
        {str(name): supported_features(state.table_properties) for name, state in read.tables.items()}
        for read in (before, after)
    ]
    seen, expected = {}, {}
    for way, model in zip(WAYS, models, strict=True):
        name = model.qualified_name
        old, new = (protocol[name] for protocol in protocols)
        changes = planned.get(name, ())
        enabled = {feature for change in changes for feature in change.enables}
        is_risky = any(change.risk >= Risk.FEATURE for change in changes if change.enables)
        seen[way] = (sorted(new - old), sorted(enabled), is_risky)
        enables = WAYS[way].enables
        gained = ("checkConstraints",) if enables == ("delta.minwriterversion",) else enables
        expected[way] = (sorted(gained), sorted(enables), bool(enables))
    assert seen == expected


PROPERTIES = (
    "'delta.enableIcebergCompatV2'='true', 'delta.columnMapping.mode'='name', 'delta.enableTypeWidening'='true',"
    " 'delta.enableDeletionVectors'='false'"
)
WIDENINGS = (
    ("tinyint", "int", True),
    ("int", "bigint", True),
    ("float", "double", True),
    ("decimal(10,2)", "decimal(12,2)", True),
    ("int", "double", False),
    ("int", "decimal(10,0)", False),
    ("decimal(10,2)", "decimal(12,3)", False),
    ("date", "timestamp_ntz", False),
)


def test_delta_refuses_what_the_rule_refuses(local):
    sql = local.spark.sql
    columns = ", ".join(f"c{number} {before}" for number, (before, _, _) in enumerate(WIDENINGS))
    sql("CREATE SCHEMA IF NOT EXISTS dev.silver")
    sql(
        f"CREATE TABLE dev.silver.orders ({columns}, n timestamp_ntz) USING delta"
        f" TBLPROPERTIES ({PROPERTIES}, 'delta.feature.timestampNtz'='supported')",
    )
    for number, (before, after, accepted) in enumerate(WIDENINGS):
        change = f"ALTER TABLE dev.silver.orders ALTER COLUMN c{number} TYPE {after}"
        assert widens_in_iceberg(before, after) is accepted
        if accepted:
            sql(change)
        else:
            with pytest.raises(Exception, match="UNSUPPORTED_TYPE_WIDENING"):
                sql(change)
