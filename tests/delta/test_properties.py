"""The keys of properties that Delta and Databricks know, and values that mean the same."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_delta_schema.delta.properties import (
    IMPOSED,
    OPEN_SOURCE,
    equal_values,
    expected_value,
    is_databricks_only,
    is_emulated,
    is_known,
    is_open_source,
    nearest_key,
    removes_files_after_their_log,
)
from pytest_delta_schema.delta.protocol import split_properties
from pytest_delta_schema.rules.properties import declarable_properties, is_declarable
from support.case_tables import cases
from support.models import column, state, table
from support.violations import violations_of


def test_who_knows_a_key() -> None:
    open_source = ["delta.appendOnly", "DELTA.APPENDONLY", "delta.constraints.a", "delta.feature.anything"]
    open_source += ["delta.universalFormat.config.x", "team", "deltas.own"]
    databricks, nobody = ["delta.tuneFileSizesForRewrites", "Delta.TUNEfileSizesForRewrites"], ["delta.appendOnyl"]
    keys = [*open_source, *databricks, *nobody]

    assert [key for key in keys if is_open_source(key)] == open_source
    assert [key for key in keys if is_databricks_only(key)] == databricks
    assert [key for key in keys if not is_known(key)] == nobody


def test_a_key_that_a_later_delta_knows_is_open_source_there() -> None:
    later = {"delta.targetfilesize"}

    assert is_open_source("delta.targetFileSize", later)
    assert not is_databricks_only("delta.targetFileSize", later)
    assert not is_open_source("delta.appendOnly", later)


IN_LOGS = [
    "delta.columnMapping.maxColumnId",
    "delta.rowTracking.materializedRowIdColumnName",
    "io.unitycatalog.tableId",
]
"""What platforms write into logs by themselves."""

IN_NO_LOGS = ["clusteringColumns", "delta.lastUpdateVersion", "option.delta.constraints.positive", "option.team"]
"""What servers, and sessions on Unity Catalog 0.6.0, list as well."""


def test_what_platforms_write_is_never_declared() -> None:
    for key in (*IN_LOGS, *IN_NO_LOGS):
        assert not is_declarable(key)
        assert declarable_properties(state(table_properties={key: "1", "team": "x"})) == {"team": "x"}
        assert violations_of(table(column(), table_properties={key: "1"})) == (
            f"property {key} is written by the platform; leave it out [DS108 ReservedProperty]"
        )


def test_a_listing_is_what_the_log_has_and_the_protocol() -> None:
    mirrored = {
        "delta.minReaderVersion": "3",
        "delta.minWriterVersion": "7",
        "delta.feature.x": "supported",
        "team": "x",
    }
    listed = {
        **mirrored,
        **{f"option.{key}": value for key, value in mirrored.items()},
        **dict.fromkeys((*IN_LOGS, *IN_NO_LOGS), "1"),
    }

    stored, protocol = split_properties(listed)

    assert stored == {"team": "x", **dict.fromkeys(IN_LOGS, "1")}
    assert protocol == {"minReaderVersion": "3", "minWriterVersion": "7", "writerFeatures": ["x"]}


def test_models_of_catalog_managed_tables_declare_only_what_differs_from_what_the_catalog_gives() -> None:
    """The server's own table, with one property of its user, and one that the user has changed (0.6.0)."""
    given = {**IMPOSED, "io.unitycatalog.tableId": "1", "team": "x", "delta.enableRowTracking": "false"}
    feature = {"delta.feature.catalogManaged": "supported"}
    own = {"delta.enableRowTracking": "false", "team": "x"}

    assert declarable_properties(state(table_properties={**given, **feature})) == own
    assert declarable_properties(state(table_properties=given)) == {**IMPOSED, **own}


def test_the_nearest_key() -> None:
    assert nearest_key("delta.appendOnyl") == "delta.appendOnly"
    assert nearest_key("DELTA.TUNEFILESIZEFORREWRITES") == "delta.tuneFileSizesForRewrites"
    assert nearest_key("delta.???") is None


EQUAL: dict[str, list[tuple[str, str]]] = {
    "delta.appendOnly": [("true", "TRUE")],
    "delta.checkpointInterval": [("10", "010")],
    "DELTA.checkpointInterval": [("10", "+10")],
    "delta.dataSkippingNumIndexedCols": [("-1", "-01")],
    "delta.dataSkippingStatsColumns": [
        *(("a,b", "A, b"), ("`a,b`,c", " `a,b` , c"), ("`a`,b", "a,`B`"), ("s.x", " `s` . x ")),
        ("`a``b`", "`A``b`"),
    ],
    "delta.isolationLevel": [("Serializable", "serializable")],
    "delta.columnMapping.mode": [("NAME", "name")],
    "delta.minWriterVersion": [("3", "7"), ("7", "2")],
    "delta.minReaderVersion": [("3", "1")],
    "delta.logRetentionDuration": [
        *(("interval 1 week", "7 days"), ("interval 1 day 2 hours", "Interval 26 HOURS")),
        *(("interval 1 day", "  INTERVAL   +1   Day "), ("1 day", "interval 25 hours -1 hours")),
        ("interval 1.5 seconds", "1500 millisecond"),
        ("interval 1 millisecond", "interval 1001 microseconds"),
    ],
    "team": [("a", "a")],
}
DIFFERENT: dict[str, list[tuple[str, str | None]]] = {
    "delta.appendOnly": [("true", "false"), ("true", None)],
    "delta.checkpointInterval": [("10", "11"), ("2", "²"), ("10", "interval 10 days")],
    "delta.dataSkippingStatsColumns": [
        *(("a,b", "b,a"), ("`a,b`", "a,b"), ("`s.x`", "s.x"), ("a.", "`a`."), ("a", "a b"), ("a", "``")),
        ("a`", "`a"),
    ],
    "delta.isolationLevel": [("Serializable", "WriteSerializable")],
    "delta.minWriterVersion": [("4", "3"), ("8", "2"), ("2", "²"), ("²", "7")],
    "delta.minReaderVersion": [("2", "1")],
    "delta.logRetentionDuration": [
        *(("interval 30 days", "interval 31 days"), ("interval 30 days", "INTERVAL '30' DAY")),
        *(("interval 1 day", "interval\t1 day"), ("interval 12 hours", "interval 0.5 days")),
        *(("interval -1 day", "interval -24 hours"), ("interval 1 day", "interval 1 d")),
        *(("interval 1 day", "interval 1 day ago"), ("interval 1 month", "interval 1 months")),
    ],
    "delta.universalFormat.enabledFormats": [("iceberg", "Iceberg")],
    "team": [("true", "TRUE"), ("10", "010")],
}


def test_equal_values() -> None:
    assert [(key, *pair) for key, pairs in EQUAL.items() for pair in pairs if not equal_values(key, *pair)] == []


def test_different_values() -> None:
    assert [(key, *pair) for key, pairs in DIFFERENT.items() for pair in pairs if equal_values(key, *pair)] == []


VALUES = (
    *("true", "TRUE", "False", " true", "yes", "1", "", "0", "-1", "-2", "2", "010", "+10", "1.5", "abc", " 10", "10 "),
    *("2147483647", "2147483648", "9223372036854775807", "9223372036854775808"),
    *("interval 30 days", "30 days", "INTERVAL 30 DAYS", " interval 30  days ", "30 day", "1 week", "1 month"),
    *("interval 1 year", "1 quarter", "-1 day", "interval 0 days", "1.5 days", "1.5 seconds", "interval 1 microsecond"),
    *("interval 30 days 2 hours", "interval 30 days -2 hours", "interval 30 days, 2 hours", "interval 1 day 2 months"),
    *("P30D", "interval '30' day", "interval", "interval 30 d", "interval 1 nanosecond", "interval 106751991 days"),
    *("interval 106751992 days", "interval 106751990 days 100 hours"),
    *("Serializable", "serializable", "SnapshotIsolation", "none", "name", "ID", "classic", "v2", "V2", "5", "7", "8"),
    *("1.0.0", "2.12.0", "2.0", "iceberg", "hudi", "iceberg,hudi", "iceberg, hudi", "ICEBERG", "delta", "s.x", "`a,b`"),
    *("id,,v", "a b", "supported", "ENABLED"),
)
INTERVALS = (
    *("interval 30 days", "30 days", "INTERVAL 30 DAYS", " interval 30  days ", "30 day", "1 week", "interval 0 days"),
    *("1.5 seconds", "interval 1 microsecond", "interval 30 days 2 hours", "interval 30 days -2 hours"),
    "interval 106751991 days",
)
BOOLEANS, POSITIVE = ("true", "TRUE", "False"), ("1", "2", "010", "+10", "2147483647", "5", "7", "8")
ACCEPTED = {
    "delta.checkpointInterval": POSITIVE,
    "delta.checkpointPolicy": ("classic", "v2"),
    "delta.checkpointRetentionDuration": INTERVALS,
    "delta.columnMapping.mode": ("none", "name", "ID"),
    "delta.dataSkippingNumIndexedCols": ("-1", "0", *POSITIVE),
    "delta.dataSkippingStringPrefixLength": ("0", *POSITIVE),
    "delta.deletedFileRetentionDuration": INTERVALS,
    "delta.dropFeatureTruncateHistory.retentionDuration": INTERVALS,
    "delta.isolationLevel": ("Serializable", "serializable"),
    "delta.logRetentionDuration": INTERVALS,
    "delta.minReaderVersion": ("1", "2"),
    "delta.minWriterVersion": ("1", "2", "5", "7"),
    "delta.parquet.format.version": ("1.0.0", "2.12.0"),
    "delta.randomPrefixLength": POSITIVE,
    "delta.requireCheckpointProtectionBeforeVersion": ("0", *POSITIVE, "2147483648", "9223372036854775807"),
    "delta.sampleRetentionDuration": INTERVALS,
    "delta.setTransactionRetentionDuration": INTERVALS,
    "delta.universalFormat.enabledFormats": ("", "iceberg", "hudi", "iceberg,hudi"),
}
"""The values that Delta 4.4.0 accepts for keys that are no switches, out of :data:`VALUES`."""

JUDGED = [
    key for key in OPEN_SOURCE if is_declarable(key) and not key.endswith("-preview") and "StatsColumns" not in key
]


def test_the_values_that_delta_accepts() -> None:
    expected = {key: [value for value in VALUES if value in ACCEPTED.get(key, BOOLEANS)] for key in JUDGED}

    for spelled in (str, str.upper):
        accepted = {key: [value for value in VALUES if expected_value(spelled(key), value) is None] for key in JUDGED}
        assert accepted == expected


@pytest.mark.spark
def test_delta_accepts_no_others(local_session: Any) -> None:
    jvm = local_session.spark._jvm
    configs = getattr(getattr(jvm.org.apache.spark.sql.delta, "DeltaConfigs$"), "MODULE$")
    java_map = getattr(getattr(jvm.scala.collection.immutable, "Map$"), "MODULE$")

    def refuses(key: str, value: str) -> bool:
        # The log is kept at least as long as the files, so each of the two is tried with one that suits it.
        other = {"delta.logRetentionDuration": ("delta.deletedFileRetentionDuration", "0 days")}.get(
            key, ("delta.logRetentionDuration", "106751991 days")
        )
        given = jvm.java.util.HashMap()
        given.put(*other)
        given.put(key, value)
        converted = getattr(java_map, "from")(jvm.scala.jdk.javaapi.CollectionConverters.asScala(given))
        try:
            configs.validateConfigurations(converted)
        except Exception:  # noqa: BLE001 - Delta raises errors of many kinds
            return True
        return False

    # Every value for one key of each kind; for the other keys what they accept, and a value that none does.
    whole = {ACCEPTED.get(key, BOOLEANS): key for key in JUDGED}.values()
    wrong = [
        (key, value)
        for key in JUDGED
        for value in (VALUES if key in whole else (*ACCEPTED.get(key, BOOLEANS), "x"))
        if refuses(key, value) is (expected_value(key, value) is None)
    ]

    assert wrong == []


def test_what_a_value_has_to_be() -> None:
    with cases(expected_value) as case:
        case("delta.feature.deletionVectors", "Supported", None)
        case("delta.feature.deletionVectors", "true", "supported or enabled")
        case("delta.appendOnly", "yes", "true or false")
        case("delta.autoOptimize.autoCompact", "auto", None)
        case("delta.autoOptimize.autoCompact", "always", "true or false or auto or legacy")
        case("delta.autoOptimize.optimizeWrite", "auto", "true or false")
        case("delta.isolationLevel", "WriteSerializable", None)
        case("delta.isolationLevel", "weird", "Serializable or WriteSerializable")
        case(
            "delta.logRetentionDuration", "1 month", "an interval without months and years, such as 'interval 30 days'"
        )
        case("delta.minReaderVersion", "4", "an integer from 1 to 3")
        case("delta.dataSkippingStatsColumns", "", None)
        case("delta.dataSkippingStatsColumns", "id,", "columns with commas between them")
        case("delta.tuneFileSizesForRewrites", "perhaps", None)
        case("team", "x", None)


def test_what_is_stored_under_another_key() -> None:
    with cases(is_emulated) as case:
        case("delta.isolationLevel", "WriteSerializable", True)
        case("delta.isolationLevel", "Serializable", False)
        case("delta.isolationLevel", None, True)
        case("delta.autoOptimize.autoCompact", "auto", True)
        case("delta.appendOnly", None, False)
        case("delta.targetFileSize", None, True)
        case("team", "auto", False)


def test_the_log_is_kept_as_long_as_the_files() -> None:
    keys = ("DELTA.logRetentionDuration", "delta.deletedFileRetentionDuration")
    kept = [(None, None), ("60 days", None), ("7 days", None), (None, "30 days"), ("90 days", "60 days")]
    kept += [("1 month", "60 days"), ("1 day", "1 month")]
    removed = [("6 days", None), (None, "31 days"), ("1 day", "25 hours")]

    found = [pair for pair in (*kept, *removed) if removes_files_after_their_log(dict(zip(keys, pair, strict=True)))]

    assert found == removed
