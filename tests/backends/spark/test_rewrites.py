"""A consented rewrite never changes a value: every type with its odd values, through every kind of layout."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql.types import BinaryType, CharType, IntegerType, TimestampType, VarcharType

from pytest_delta_schema import ApplyError, Consent, Orchestrator, Settings, UnsafePlanError
from pytest_delta_schema.backends.spark.statements import rewrite_table_layout, setting
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.plan.changes import LayoutRewrite
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.testing.scenario import TEXT
from support.tables import NAME, column, table

pytestmark = pytest.mark.spark

ZONE = "spark.sql.session.timeZone"
BERLIN = "Europe/Berlin"

VALUES = {
    "string": ["' '", "'a/b=c%20'", "'é€😀'", "'a\\n\\tb'", "'.'", "'NULL'", "repeat('x', 200)", "'\\u0001\\u007f'"],
    "varchar(40)": ["'x '", "'X'", "'{}'", "'ß'"],
    "char(30)": ["''", "'a'", "'__HIVE_DEFAULT_PARTITION__'"],
    "boolean": ["true", "false"],
    "tinyint": ["127", "-128"],
    "smallint": ["32767", "-32768"],
    "int": ["2147483647", "-2147483648"],
    "bigint": ["9223372036854775807", "-9223372036854775808"],
    "float": ["'NaN'", "-0.0D", "0.0D", "'-Infinity'", "1.4E-45D", "3.4028235E38D", "0.1D"],
    "double": ["'NaN'", "-0.0D", "0.0D", "'Infinity'", "4.9E-324D", "1.7976931348623157E308D", "0.1D"],
    "decimal(38,18)": ["-0.000000000000000001", "99999999999999999999.999999999999999999", "0"],
    "date": ["'0001-01-01'", "'9999-12-31'", "'1582-10-10'", "'-5877641-06-23'", "'+5881580-07-11'"],
    "timestamp": [
        "'2024-10-27 00:30:00Z'",
        "'2024-10-27 01:30:00Z'",
        "'2024-10-27 01:30:00.123456Z'",
        "'1890-01-01 00:00:00Z'",
        "'0001-01-01 00:00:00Z'",
        "'1582-10-10 00:00:00Z'",
        "'+294247-01-10T04:00:54.775807Z'",
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
LOST = {
    "string": ["''", "'__HIVE_DEFAULT_PARTITION__'"],
    "varchar(40)": ["''", "'__HIVE_DEFAULT_PARTITION__'"],
    "char(26)": ["'__HIVE_DEFAULT_PARTITION__'"],
    "timestamp": ["'0000-12-31 23:59:59.999999Z'", "'-290308-12-21T19:59:06Z'"],
    "binary": ["X''", "X'FF00'", "'__HIVE_DEFAULT_PARTITION__'"],
}
"""Values that a partition does not keep."""

AGREED = Settings(consents=(Consent("rewrite", str(NAME)),))


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
    with local._session.using("dev"):
        return local._session.sql(text)


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
        local.bridge.gateway, NAME, LayoutRewrite(partitioning=tuple(by), clustering=tuple(clustering))
    )


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


def test_a_value_that_a_partition_does_not_keep_is_refused_before_anything_runs(local):
    make(local, LOST)
    before = shown(local, LOST)
    kinds = [TEXT, VarcharType(40), CharType(26), TimestampType(), BinaryType()]
    parts = [column(f"c{index}", kind) for index, kind in enumerate(kinds)]
    model = table(column("id", IntegerType()), *parts, partitioned_by=[part.name for part in parts])

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(local, settings=AGREED).sync_tables([model])

    reported = {violation.path.removeprefix("columns."): violation for violation in caught.value.diagnostics}
    counted = {name: len(LOST[data_type]) for data_type, name in names(LOST).items()}
    assert {path: violation.code for path, violation in reported.items()} == dict.fromkeys(counted, "DS306")
    for path, violation in reported.items():
        assert violation.message.startswith(
            f"column {path} cannot become a partition column, because {counted[path]} row"
        )
        assert sql(local, violation.remedy.split("listed by ")[1].split("), or")[0]).count() == counted[path]
    assert str(reported["c0"]) == (
        "dev.silver.orders: column c0 cannot become a partition column, because 2 rows hold values that are read back as"
        " others ('' and '__HIVE_DEFAULT_PARTITION__' as NULL), of 11, such as c0 = , __HIVE_DEFAULT_PARTITION__; replace"
        " the values (they are listed by SELECT * FROM `dev`.`silver`.`orders` WHERE coalesce(`c0` IN ('',"
        " '__HIVE_DEFAULT_PARTITION__'), false)), or choose another layout [DS306 PartitionValueNotPreserved]"
    )
    assert (shown(local, LOST), local.version(NAME)) == (before, 1)

    unasked = Orchestrator.over(local, settings=replace(AGREED, preflight="off"))
    schema = r"columns c0 \(string\), c1 \(varchar\(40\)\), c2 \(char\(26\)\), c3 \(timestamp\) differ; nothing was"
    with pytest.raises(ApplyError, match=rf"the rewrite would change data: the values of {schema} changed"):
        unasked.sync_tables([table(column("id", IntegerType()), *parts, partitioned_by=["c0", "c1", "c2", "c3"])])

    assert (shown(local, LOST), local.version(NAME)) == (before, 1)


FEATURES = """
CREATE TABLE dev.silver.orders (seq BIGINT GENERATED ALWAYS AS IDENTITY, id INT, p STRING, day INT GENERATED ALWAYS AS (id %% 2))
USING DELTA TBLPROPERTIES (
  'delta.enableRowTracking' = 'true', 'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true',
  'delta.enableInCommitTimestamps' = 'true', 'delta.checkpointPolicy' = 'v2', 'delta.columnMapping.mode' = '%s'
)"""


@pytest.mark.parametrize("mode", ["none", "id"])
def test_what_a_table_keeps_beside_its_values_lives_through_a_rewrite(local, mode):
    local.create_schema("dev", "silver")
    sql(local, FEATURES % mode)
    sql(local, "INSERT INTO dev.silver.orders (id, p) VALUES (1, 'a'), (2, 'b'), (3, 'a')")
    sql(local, "INSERT INTO dev.silver.orders (id, p) VALUES (4, NULL)")
    sql(local, "DELETE FROM dev.silver.orders WHERE id = 2")
    sql(local, "ALTER TABLE dev.silver.orders SET TBLPROPERTIES ('delta.appendOnly' = 'true')")
    everything = "SELECT *, _metadata.row_id, _metadata.row_commit_version FROM dev.silver.orders ORDER BY id"
    before = sql(local, everything).collect()
    assert len({row["row_id"] for row in before}) == 3

    for by in (["p"], ["day", "p"], []):
        rewrite(local, by)

        assert sql(local, everything).collect() == before
    assert local.version(NAME) == 7
    for version in (5, 6, 7):
        changes = sql(local, f"FROM table_changes('dev.silver.orders', {version}, {version}) SELECT *")
        assert changes.collect() == []
    sql(local, "INSERT INTO dev.silver.orders (id, p) VALUES (5, 'c')")
    counted = "SELECT max(seq), count(DISTINCT _metadata.row_id), count(*) FROM dev.silver.orders"
    assert sql(local, counted).head() == (5, 4, 4)


def test_timestamps_that_the_log_names_without_a_zone_stay_what_readers_see(local):
    local.create_schema("dev", "silver")
    sql(local, "CREATE TABLE dev.silver.orders (id INT, ts TIMESTAMP) USING DELTA PARTITIONED BY (ts)")
    with setting(local.spark, ZONE, BERLIN):
        with setting(local.spark, "spark.databricks.delta.write.utcTimestampPartitionValues", "false"):
            sql(local, "INSERT INTO dev.silver.orders VALUES (1, TIMESTAMP'2024-07-01 12:00:00'), (2, NULL)")
        seen = "SELECT id, unix_micros(ts) FROM dev.silver.orders ORDER BY id"
        before = sql(local, seen).collect()

        for by in (["id"], ["ts"], []):
            rewrite(local, by)
            assert sql(local, seen).collect() == before
    assert sql(local, seen).collect() == before == [(1, 1719828000000000), (2, None)]


def test_days_that_are_generated_from_timestamps_stay_those_of_the_sessions_zone(local):
    local.create_schema("dev", "silver")
    with setting(local.spark, ZONE, BERLIN):
        generated = "day DATE GENERATED ALWAYS AS (CAST(ts AS DATE))"
        sql(local, f"CREATE TABLE dev.silver.orders (id INT, ts TIMESTAMP, {generated}) USING DELTA")
        sql(local, "INSERT INTO dev.silver.orders (id, ts) VALUES (1, TIMESTAMP'2024-07-01 23:30:00Z')")
        for by in (["day"], ["ts"], []):
            rewrite(local, by)
            assert [str(day) for (day,) in sql(local, "SELECT day FROM dev.silver.orders").collect()] == ["2024-07-02"]
