"""Values of properties that are equal for Delta, and those that are not."""

from __future__ import annotations

import pytest

from pytest_delta_schema.delta.properties import equal_values

EQUAL = [
    ("delta.appendOnly", "true", "TRUE"),
    ("delta.checkpointInterval", "10", "010"),
    ("DELTA.checkpointInterval", "10", "+10"),
    ("delta.dataSkippingNumIndexedCols", "-1", "-01"),
    ("delta.dataSkippingStatsColumns", "a,b", "A, b"),
    ("delta.dataSkippingStatsColumns", "`a,b`,c", " `a,b` , c"),
    ("delta.dataSkippingStatsColumns", "`a`,b", "a,`B`"),
    ("delta.dataSkippingStatsColumns", "s.x", " `s` . x "),
    ("delta.dataSkippingStatsColumns", "`a``b`", "`A``b`"),
    ("delta.isolationLevel", "Serializable", "serializable"),
    ("delta.columnMapping.mode", "NAME", "name"),
    ("delta.minWriterVersion", "3", "7"),
    ("delta.minWriterVersion", "7", "2"),
    ("delta.minReaderVersion", "3", "1"),
    ("delta.logRetentionDuration", "interval 1 week", "7 days"),
    ("delta.logRetentionDuration", "interval 1 day 2 hours", "Interval 26 HOURS"),
    ("delta.logRetentionDuration", "interval 1 day", "  INTERVAL   +1   Day "),
    ("delta.logRetentionDuration", "1 day", "interval 25 hours -1 hours"),
    ("delta.logRetentionDuration", "interval 1.5 seconds", "1500 millisecond"),
    ("delta.logRetentionDuration", "interval 1 millisecond", "interval 1001 microseconds"),
    ("team", "a", "a"),
]
DIFFERENT = [
    ("delta.appendOnly", "true", "false"),
    ("delta.appendOnly", "true", None),
    ("delta.checkpointInterval", "10", "11"),
    ("delta.checkpointInterval", "2", "²"),
    ("delta.checkpointInterval", "10", "interval 10 days"),
    ("delta.dataSkippingStatsColumns", "a,b", "b,a"),
    ("delta.dataSkippingStatsColumns", "`a,b`", "a,b"),
    ("delta.dataSkippingStatsColumns", "`s.x`", "s.x"),
    ("delta.dataSkippingStatsColumns", "a.", "`a`."),
    ("delta.dataSkippingStatsColumns", "a", "a b"),
    ("delta.dataSkippingStatsColumns", "a", "``"),
    ("delta.dataSkippingStatsColumns", "a`", "`a"),
    ("delta.isolationLevel", "Serializable", "WriteSerializable"),
    ("delta.minWriterVersion", "4", "3"),
    ("delta.minWriterVersion", "8", "2"),
    ("delta.minReaderVersion", "2", "1"),
    ("delta.minWriterVersion", "2", "²"),
    ("delta.minWriterVersion", "²", "7"),
    ("delta.logRetentionDuration", "interval 30 days", "interval 31 days"),
    ("delta.logRetentionDuration", "interval 30 days", "INTERVAL '30' DAY"),
    ("delta.logRetentionDuration", "interval 1 day", "interval\t1 day"),
    ("delta.logRetentionDuration", "interval 12 hours", "interval 0.5 days"),
    ("delta.logRetentionDuration", "interval -1 day", "interval -24 hours"),
    ("delta.logRetentionDuration", "interval 1 day", "interval 1 d"),
    ("delta.logRetentionDuration", "interval 1 day", "interval 1 day ago"),
    ("delta.logRetentionDuration", "interval 1 month", "interval 1 months"),
    ("delta.universalFormat.enabledFormats", "iceberg", "Iceberg"),
    ("team", "true", "TRUE"),
    ("team", "10", "010"),
]


@pytest.mark.parametrize(("key", "wanted", "stored"), EQUAL)
def test_equal_values(key: str, wanted: str, stored: str) -> None:
    assert equal_values(key, wanted, stored)


@pytest.mark.parametrize(("key", "wanted", "stored"), DIFFERENT)
def test_different_values(key: str, wanted: str, stored: str | None) -> None:
    assert not equal_values(key, wanted, stored)
