"""Statements on open-source Delta: what is emulated, rows that are written, and tables that are rewritten."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import (
    Check,
    Column,
    MemoryCatalog,
    Orchestrator,
    SessionCatalog,
    UnsafePlanError,
    assert_table_equals,
    state_text,
)
from pytest_delta_schema.backends.spark.sessions import setting
from pytest_delta_schema.backends.spark.statements import on_delta, rewrite_table_layout
from pytest_delta_schema.backends.spark.versions import OPEN_SOURCE_DELTA as LOCAL
from pytest_delta_schema.backends.spark.versions import SparkVersions
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.delta.properties import REGISTRY
from pytest_delta_schema.diagnostics.errors import CatalogReadError, RowsDifferError, StatementError
from pytest_delta_schema.engine.plan_outcomes import planned_statements
from pytest_delta_schema.execute.protocols import unsupported_statements
from pytest_delta_schema.plan import LayoutRewrite, TablePlanner
from pytest_delta_schema.sql import dotted, statements
from pytest_delta_schema.state import TableState
from pytest_delta_schema.testing.scenario import TEXT
from support.installed import INSTALLED
from support.models import NAME, catalog, column, state, stored, table

KEY, OWN = "delta.tuneFileSizesForRewrites", "pytest_delta_schema.property.delta.tuneFileSizesForRewrites"
ABSENT = TableState(name=NAME, exists=False)


class Backend:
    name = "local"
    capabilities = LOCAL


def planned(model, there):
    (action,) = TablePlanner().plan([model], catalog(there)).actions
    return action


def run_on_delta(model, there):
    parts = statements(planned(model, there))
    return [part.sql for statement in parts for part in on_delta(statement, LOCAL.emulates_property)]


def holding(value, *, emulated=()):
    return state(stored("id"), table_properties={KEY: value}, emulated_properties=emulated)


def test_a_table_is_created_with_the_properties_under_another_key():
    model = table(column(), table_properties={KEY: "true", "team": "core"}, primary_key=["id"])

    create = next(sql for sql in run_on_delta(model, ABSENT) if sql.startswith("CREATE TABLE"))

    assert create.endswith(f"TBLPROPERTIES (\n  '{OWN}' = 'true',\n  'team' = 'core'\n)")


LEVEL = "delta.isolationLevel"
OF_LEVEL = f"pytest_delta_schema.property.{LEVEL}"
WRITTEN: list[tuple[dict[str, str | None], dict[str, str], tuple[str, ...], list[str]]] = [
    ({KEY: "true", "team": "core"}, {}, (), [f"SET TBLPROPERTIES ( '{OWN}' = 'true', 'team' = 'core' )"]),
    # A value of Databricks takes the place of the one that Delta accepts.
    (
        {LEVEL: "WriteSerializable", "team": "core"},
        {LEVEL: "Serializable"},
        (),
        [
            f"SET TBLPROPERTIES ( '{OF_LEVEL}' = 'WriteSerializable', 'team' = 'core' )",
            f"UNSET TBLPROPERTIES IF EXISTS ('{LEVEL}')",
        ],
    ),
    # A value that Delta accepts is set under the key itself.
    (
        {LEVEL: "Serializable"},
        {LEVEL: "WriteSerializable"},
        (LEVEL,),
        [f"SET TBLPROPERTIES ( '{LEVEL}' = 'Serializable' )"],
    ),
    ({KEY: None}, {KEY: "true"}, (), [f"UNSET TBLPROPERTIES IF EXISTS ('{KEY}', '{OWN}')"]),
]


def test_properties_are_set_under_another_key_where_delta_refuses_them():
    for wanted, there, emulated, expected in WRITTEN:
        before = state(stored("id"), table_properties=there, emulated_properties=emulated)

        done = run_on_delta(table(column(), table_properties=wanted), before)

        assert [" ".join(sql.split()) for sql in done] == [f"ALTER TABLE {dotted(NAME)} {sql}" for sql in expected]


def test_a_plan_marks_the_statements_that_store_them():
    for properties, there, is_emulated in (
        ({KEY: "true"}, ABSENT, True),
        ({KEY: "true"}, state(stored("id")), True),
        ({KEY: None}, holding("true", emulated=(KEY,)), True),
        ({"team": "core"}, ABSENT, False),
        ({"delta.appendOnly": "true"}, state(stored("id")), False),
    ):
        parts = statements(planned(table(column(), table_properties=properties), there))

        assert planned_statements(parts, LOCAL)[-1].is_emulated is is_emulated, properties
        assert planned_statements(parts, MemoryCatalog.capabilities)[-1].is_emulated is False, properties


def test_a_key_that_databricks_has_written_is_not_overwritten():
    model = table(column(), table_properties={KEY: "false"})

    refused = list(unsupported_statements(planned(model, holding("true")), Backend()))

    assert [str(violation) for violation in refused] == [
        (
            "dev.silver.orders: the local backend cannot set properties: the table holds delta.tuneFileSizesForRewrites"
            " as Databricks has written it, and open-source Delta cannot set it; set it on Databricks, or declare the"
            " value that the table holds [DS218 UnsupportedStatement]"
        ),
    ]
    assert not list(unsupported_statements(planned(model, holding("true", emulated=(KEY,))), Backend()))
    for there, wanted, is_refused in (("auto", "legacy", True), ("true", "auto", False), ("auto", "true", False)):
        key = "delta.autoOptimize.autoCompact"
        plan = planned(
            table(column(), table_properties={key: wanted}), state(stored("id"), table_properties={key: there})
        )
        assert bool([*unsupported_statements(plan, Backend())]) is is_refused


def test_what_is_stored_depends_on_the_registry_of_delta():
    later = SparkVersions(spark=(4, 2), properties=REGISTRY | {KEY.lower()}).limit(LOCAL)
    older = SparkVersions(spark=(4, 2), delta=(3, 3), properties=REGISTRY - {"delta.parquet.format.version"})
    (statement,) = statements(planned(table(column(), table_properties={KEY: "false"}), holding("true")))
    (newer,) = statements(
        planned(table(column(), table_properties={"delta.parquet.format.version": "2"}), state(stored("id"))),
    )
    (unknown,) = statements(planned(table(column(), table_properties={"delta.foo": "2"}), state(stored("id"))))

    assert on_delta(statement, later.emulates_property) == (statement,)
    assert later.refuses_for_table(statement, holding("true")) is None
    assert older.limit(LOCAL).refuses(newer) == (
        "Delta 3.3 does not know the properties delta.parquet.format.version",
        "install delta-spark 4.4.0 and a pyspark that it is built for, such as 4.2.0",
    )
    assert later.refuses(unknown) == (
        "Delta 4.4 does not know the properties delta.foo",
        "leave out what only another catalog knows",
    )


@pytest.mark.spark
def test_the_key_of_databricks_comes_first(local):
    arbitrary = "spark.databricks.delta.allowArbitraryProperties.enabled"
    orchestrator = Orchestrator.over(local)
    orchestrator.sync_tables([table(column(), table_properties={KEY: True})])
    local.spark.conf.set(arbitrary, "true")
    try:
        local.spark.sql(f"ALTER TABLE dev.silver.orders SET TBLPROPERTIES ('{KEY}' = 'false')")
    finally:
        local.spark.conf.unset(arbitrary)

    assert orchestrator.plan_tables([table(column(), table_properties={KEY: False})]).is_empty
    with pytest.raises(UnsafePlanError, match="as Databricks has written it"):
        orchestrator.sync_tables([table(column(), table_properties={KEY: True})])
    orchestrator.sync_tables([table(column(), table_properties={KEY: None})])
    rows = {row.key for row in local.spark.sql("SHOW TBLPROPERTIES dev.silver.orders").collect()}
    assert rows.isdisjoint({KEY, OWN})


MIXED = (
    column(is_nullable=False),
    Column("amount", spark.DecimalType(18, 2)),
    Column("ratio", spark.DoubleType()),
    Column("at", spark.TimestampType()),
    Column("code", spark.CharType(4)),
    Column("raw", spark.BinaryType()),
    Column("tags", spark.MapType(TEXT, spark.StructType([spark.StructField("n", spark.FloatType())]))),
    Column("lines", spark.ArrayType(spark.StructType([spark.StructField("sku", TEXT)]))),
)
UTC = datetime(2026, 1, 31, 8, tzinfo=timezone.utc)
ROWS: list[dict[str, Any]] = [
    {
        "id": 1,
        "amount": 10,
        "ratio": float("nan"),
        "at": UTC,
        "code": "a",
        "raw": b"x",
        "tags": {"a": {"n": 0.1}, "b": None},
        "lines": [("s",)],
    },
    {"id": 2},
    {"id": 2},
]


@pytest.mark.spark
def test_rows_and_versions_are_read_by_each_backend(local, request):
    Orchestrator.over(local).sync_tables([table(*MIXED)])
    local.insert(NAME, ROWS)
    Orchestrator.over(local).sync_tables([table(*MIXED, column("more"), checks=[Check("positive", "id > 0")])])
    catalogs = [local, SessionCatalog(local.spark)]
    # Spark 3.5 does not contain the server of Spark Connect.
    catalogs += [SessionCatalog(request.getfixturevalue("remote"))] if INSTALLED.spark >= (4, 0) else []

    for one in catalogs:
        require_rows(one)
        require_versions(one)


def require_rows(catalog):
    assert_table_equals("dev.silver.orders", ROWS, catalog=catalog)
    assert_table_equals("dev.silver.orders", catalog.spark.table("dev.silver.orders"), catalog=catalog)
    with pytest.raises(RowsDifferError) as caught:
        assert_table_equals("dev.silver.orders", [ROWS[0] | {"amount": Decimal("9.5")}, ROWS[1]], catalog=catalog)
    assert str(caught.value).startswith("dev.silver.orders: 2 rows expected, 3 in the table; 1 missing, 2 unexpected\n")
    assert "~ amount decimal(18,2)" in str(caught.value)
    with pytest.raises(StatementError, match=r"row 1, column at: .* does not fit timestamp"):
        assert_table_equals("dev.silver.orders", [{"id": 1, "at": "2026-01-31"}], catalog=catalog)


def require_versions(catalog):
    commits = catalog.commits(NAME)
    assert [commit.operation for commit in commits] == ["CREATE TABLE", "WRITE", "ADD COLUMNS", "ADD CONSTRAINT"]
    assert [commit.version for commit in commits] == [0, 1, 2, 3]
    assert (commits[1].metrics["numOutputRows"], [file.rows for file in commits[1].added]) == (3, [3])
    assert commits[1].timestamp.tzinfo is timezone.utc
    assert catalog.commits(NAME, first=3) == commits[3:]
    assert [len(catalog.rows(NAME, version=version)) for version in (0, 1)] == [0, 3]
    older, newer = (state_text("dev.silver.orders", version=version, catalog=catalog) for version in (1, None))
    assert "`more`" not in older
    assert "CHECK" not in older
    assert "  `more` BIGINT,\n  CONSTRAINT `positive` CHECK (id > 0)\n" in newer
    assert state_text("dev.silver.orders", version=3, catalog=catalog) == newer
    with pytest.raises(CatalogReadError, match=r"no commit of version 4; it has those from 0 to 3"):
        state_text("dev.silver.orders", version=4, catalog=catalog)
    with pytest.raises(CatalogReadError, match=r"dev\.silver\.nothing: is not in the catalog"):
        state_text("dev.silver.nothing", version=0, catalog=catalog)


ZONE = "spark.sql.session.timeZone"
BERLIN = "Europe/Berlin"
VALUES = {
    "string": ["' '", "'a/b=c%20'", "'é€😀'", "'a\\n\\tb'", "'.'", "'NULL'", "repeat('x', 200)", "'\\u0001\\u007f'"],
    "varchar(40)": ["'x '", "'X'", "'{}'", "'ß'"],
    "char(30)": ["''", "'a'", "'__HIVE_DEFAULT_PARTITION__'"],
    "boolean": ["true", "false"],
    "tinyint": ["127", "-128"],
    "bigint": ["9223372036854775807", "-9223372036854775808"],
    "float": ["'NaN'", "-0.0D", "0.0D", "'-Infinity'", "1.4E-45D", "3.4028235E38D", "0.1D"],
    "double": ["'NaN'", "-0.0D", "0.0D", "'Infinity'", "4.9E-324D", "1.7976931348623157E308D", "0.1D"],
    "decimal(38,18)": ["-0.000000000000000001", "99999999999999999999.999999999999999999", "0"],
    "date": ["'0001-01-01'", "'9999-12-31'", "'1582-10-10'", "'-5877641-06-23'", "'+5881580-07-11'"],
    "timestamp": [
        *(
            "'2024-10-27 00:30:00Z'",
            "'2024-10-27 01:30:00Z'",
            "'2024-10-27 01:30:00.123456Z'",
            "'1890-01-01 00:00:00Z'",
        ),
        *("'0001-01-01 00:00:00Z'", "'1582-10-10 00:00:00Z'", "'+294247-01-10T04:00:54.775807Z'"),
    ],
    "timestamp_ntz": ["'2024-10-27 02:30:00'", "'2024-03-31 02:30:00'", "'-290308-12-21T19:59:05.224192'"],
    "binary": ["'a'", "'é'"],
    "variant": ['parse_json(\'{"a": [1, null, "x"]}\')', "parse_json('null')"],
    "array<double>": ["array()", "array(-0.0D, NULL)", "array(double('NaN'))"],
    "map<string,float>": ["map()", "map('', float(-0.0D), 'b', NULL)"],
    "struct<a:timestamp,b:array<struct<c:string>>>": [
        "named_struct('a', timestamp'2024-10-27 01:30:00Z', 'b', array(named_struct('c', ''), NULL))",
        "named_struct('a', NULL, 'b', NULL)",
    ],
}
"""Values of every type, as SQL; each column is NULL in the rows of the others."""
SHOWN = {
    "binary": "hex({})",
    "timestamp": "cast(unix_micros({}) as string)",
    "variant": "to_json({})",
    "array<double>": "cast({} as string)",
}


def names(types):
    return {data_type: f"c{index}" for index, data_type in enumerate(types)}


def make(local, values):
    """Make a table with a column of each type, a row of each value, and one without any."""
    local.create_schema("dev", "silver")
    columns = names(values)
    schema = ", ".join(f"{name} {data_type}" for data_type, name in columns.items())
    sql(local, f"CREATE TABLE {dotted(NAME)} (id INT, {schema}) USING DELTA")
    given = [(columns[data_type], value) for data_type, samples in values.items() for value in samples]
    rows = []
    for number, (at, value) in enumerate([*given, ("", "NULL")]):
        cells = [f"CAST({value if name == at else 'NULL'} AS {own})" for own, name in columns.items()]
        rows.append(f"SELECT {number}, {', '.join(cells)}")
    sql(local, f"INSERT INTO {dotted(NAME)} {' UNION ALL '.join(rows)}")


def sql(local, text):
    with local.bridge.using("dev"):
        return local.bridge.sql(text)


def shown(local, types):
    """Return all values as texts that tell every two of them apart, without our own fingerprint."""
    texts = [SHOWN.get(data_type, "cast({} as string)").format(name) for data_type, name in names(types).items()]
    with setting(local.spark, ZONE, "UTC"):
        rows = sql(local, "SELECT * FROM dev.silver.orders").selectExpr("id", *texts).collect()
    return sorted(map(tuple, rows))


def partitionable(types):
    return [name for data_type, name in names(types).items() if data_type != "variant" and "<" not in data_type]


def rewrite(local, by=(), clustering=()):
    rewrite_table_layout(
        local.bridge.gateway,
        NAME,
        LayoutRewrite(partitioning=tuple(by), clustering=tuple(clustering)),
    )


@pytest.mark.spark
def test_every_value_of_every_type_lives_through_every_layout(local):
    with setting(local.spark, ZONE, BERLIN):
        make(local, VALUES)
        before = shown(local, VALUES)

        for number in range(3):
            rewrite(local, partitionable(VALUES)[number::3])
            assert shown(local, VALUES) == before
        rewrite(local, clustering=[ColumnPath("id")])
        assert shown(local, VALUES) == before
        rewrite(local)

    assert shown(local, VALUES) == before
    assert local.version(NAME) == 1 + 5


FEATURES = """
CREATE TABLE dev.silver.orders (seq BIGINT GENERATED ALWAYS AS IDENTITY, id INT, p STRING, day INT GENERATED ALWAYS AS (id % 2))
USING DELTA TBLPROPERTIES (
  'delta.enableRowTracking' = 'true', 'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true',
  'delta.enableInCommitTimestamps' = 'true', 'delta.checkpointPolicy' = 'v2', 'delta.columnMapping.mode' = 'id'
)"""


@pytest.mark.spark
def test_what_a_table_keeps_beside_its_values_lives_through_a_rewrite(local):
    local.create_schema("dev", "silver")
    sql(local, FEATURES)
    sql(local, "INSERT INTO dev.silver.orders (id, p) VALUES (1, 'a'), (2, 'b'), (3, 'a')")
    sql(local, "INSERT INTO dev.silver.orders (id, p) VALUES (4, NULL)")
    sql(local, "DELETE FROM dev.silver.orders WHERE id = 2")
    sql(local, "ALTER TABLE dev.silver.orders SET TBLPROPERTIES ('delta.appendOnly' = 'true')")
    everything = "SELECT *, _metadata.row_id, _metadata.row_commit_version FROM dev.silver.orders ORDER BY id"
    before = sql(local, everything).collect()
    assert len({row["row_id"] for row in before}) == 3

    for by in (["day", "p"], []):
        rewrite(local, by)

        assert sql(local, everything).collect() == before
    assert local.version(NAME) == 6
    for version in (5, 6):
        changes = sql(local, f"FROM table_changes('dev.silver.orders', {version}, {version}) SELECT *")
        assert changes.collect() == []
    sql(local, "INSERT INTO dev.silver.orders (id, p) VALUES (5, 'c')")
    counted = "SELECT max(seq), count(DISTINCT _metadata.row_id), count(*) FROM dev.silver.orders"
    assert sql(local, counted).head() == (5, 4, 4)
