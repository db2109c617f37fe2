"""Delta accepts the other ways to write a value, and such a value is no drift."""

from __future__ import annotations

from itertools import combinations

import pytest
from pyspark.errors import PySparkException

from pytest_delta_schema import Orchestrator
from pytest_delta_schema.delta.properties import equal_values
from support.tables import NAME, column, table

pytestmark = pytest.mark.spark

DECLARED = {
    "delta.checkpointInterval": "10",
    "delta.dataSkippingStatsColumns": "a,b",
    "delta.isolationLevel": "Serializable",
    "delta.logRetentionDuration": "interval 30 days",
    "delta.enableExpiredLogCleanup": "true",
}
STORED = {
    "delta.checkpointInterval": "010",
    "delta.dataSkippingStatsColumns": "A, b",
    "delta.isolationLevel": "serializable",
    "delta.logRetentionDuration": "INTERVAL 30 DAY",
    "delta.enableExpiredLogCleanup": "TRUE",
}


def test_values_that_delta_reads_alike_are_no_drift(local):
    model = table(column("a"), column("b"), table_properties=DECLARED)
    orchestrator = Orchestrator.over(local)
    orchestrator.sync_tables([model])
    pairs = ", ".join(f"'{key}' = \"{value}\"" for key, value in STORED.items())
    local.spark.sql(f"ALTER TABLE {NAME} SET TBLPROPERTIES ({pairs})")

    state = local.snapshot([model]).tables[NAME]

    assert {key: state.table_properties[key] for key in STORED} == STORED
    assert orchestrator.plan_tables([model]).actions == ()


INTERVALS = [
    "interval 30 days",
    "INTERVAL '30' DAY",
    "interval '30' day",
    "30 days",
    "interval 1 week 2 days",
    "9 days",
    "1 day",
    "interval +1 day",
    "interval 25 hours -1 hours",
    "interval\t1 day",
    "  INTERVAL   1   DAY ",
    "interval 1 day ago",
    "interval -1 day",
    "interval -24 hours",
    "interval 0.5 days",
    "12 hours",
    "interval 1.5 seconds",
    "interval 1500 milliseconds",
    "interval 1 millisecond",
    "interval 1000 microseconds",
    "interval 1001 microseconds",
    "interval 999 microseconds",
    "interval 0 days",
    "interval 1 month",
    "interval 1 months",
    "interval 1 nanosecond",
    "interval 1.0 second",
    "1 seconds",
    "interval 007 days",
    "1 weeks",
    "true",
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


@pytest.mark.parametrize("columns", ["a,b", "A, b", " `a` ,b", "s.x", " `s` . x", "`a,b`", "`a``b`"])
def test_delta_takes_lists_of_columns_in_other_spellings(local, columns):
    local.create_schema("dev", "silver")
    fields = "a int, b int, `a,b` int, `a``b` int, s struct<x: int>"
    mapped = "'delta.columnMapping.mode' = 'name'"
    properties = f"{mapped}, 'delta.dataSkippingStatsColumns' = '{columns}'"
    local.spark.sql(f"CREATE TABLE {NAME} ({fields}) USING delta TBLPROPERTIES ({properties})")

    model = table(column("a"), table_properties={"delta.dataSkippingStatsColumns": columns})
    assert local.snapshot([model]).tables[NAME].table_properties["delta.dataSkippingStatsColumns"] == columns


def test_delta_lowers_versions_that_only_name_features(local):
    versions = {"delta.minReaderVersion": "3", "delta.minWriterVersion": "7"}
    model = table(column("a"), table_properties=versions)
    orchestrator = Orchestrator.over(local)
    orchestrator.sync_tables([table(column("a"))])
    before = local.snapshot([model]).tables[NAME]
    pairs = ", ".join(f"'{key}' = '{value}'" for key, value in versions.items())
    local.spark.sql(f"ALTER TABLE {NAME} SET TBLPROPERTIES ({pairs})")

    after = local.snapshot([model]).tables[NAME]

    assert after.table_properties == before.table_properties
    assert orchestrator.plan_tables([model]).actions == ()
