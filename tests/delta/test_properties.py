"""The keys of properties that Delta and Databricks know, and values that mean the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema import InvalidModelError, Settings
from pytest_delta_schema.delta.properties import (
    DATABRICKS,
    IMPOSED,
    OPEN_SOURCE,
    equal_values,
    is_databricks_only,
    is_known,
    is_open_source,
    nearest_key,
)
from pytest_delta_schema.delta.protocol import split_properties
from pytest_delta_schema.engine.adoption import imported_model
from pytest_delta_schema.report.review import model_source
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.rules.properties import declarable_properties, is_declarable
from pytest_delta_schema.test_kit.effects import Effect
from pytest_delta_schema.testing.scenario_runner import comparable
from support.models import NAME, column, state, table

if TYPE_CHECKING:
    from pytest_delta_schema.state import TableState


@pytest.mark.parametrize(
    ("key", "open_source", "databricks"),
    [
        ("delta.appendOnly", True, False),
        ("DELTA.APPENDONLY", True, False),
        ("delta.constraints.a", True, False),
        ("delta.feature.anything", True, False),
        ("delta.universalFormat.config.x", True, False),
        ("team", True, False),
        ("deltas.own", True, False),
        ("delta.tuneFileSizesForRewrites", False, True),
        ("Delta.TUNEfileSizesForRewrites", False, True),
        ("delta.appendOnyl", False, False),
    ],
)
def test_who_knows_a_key(key: str, open_source: bool, databricks: bool) -> None:
    assert (is_open_source(key), is_databricks_only(key)) == (open_source, databricks)
    assert is_known(key) == (open_source or databricks)


def test_a_key_that_a_later_delta_knows_is_open_source_there() -> None:
    later = {"delta.targetfilesize"}

    assert is_open_source("delta.targetFileSize", later)
    assert not is_databricks_only("delta.targetFileSize", later)
    assert not is_open_source("delta.appendOnly", later)


def test_no_key_is_in_both_lists() -> None:
    assert [key for key in DATABRICKS if key in OPEN_SOURCE] == []


def test_the_documentation_lists_the_keys_of_databricks() -> None:
    page = Path(__file__).parents[2].joinpath("docs", "explanation", "local-backend.md").read_text("utf-8")

    assert [line.split("`")[1] for line in page.splitlines() if line.startswith("| `delta.")] == [*DATABRICKS]


IN_LOGS = [
    "delta.columnMapping.maxColumnId",
    "delta.inCommitTimestampEnablementTimestamp",
    "delta.inCommitTimestampEnablementVersion",
    "delta.rowTracking.materializedRowCommitVersionColumnName",
    "delta.rowTracking.materializedRowIdColumnName",
    "io.unitycatalog.tableId",
]
"""What platforms write into logs by themselves."""

IN_NO_LOGS = [
    "clusteringColumns",
    "delta.clusteringColumns",
    "delta.lastCommitTimestamp",
    "delta.lastUpdateVersion",
    "delta.rowTracking.rowIdHighWaterMark",
    "option.delta.constraints.positive",
    "option.delta.lastUpdateVersion",
    "option.team",
]
"""What servers, and sessions on Unity Catalog 0.6.0, list as well."""


@pytest.mark.parametrize("key", [*IN_LOGS, *IN_NO_LOGS])
def test_what_platforms_write_is_never_declared_and_not_in_models_and_effects(key: str) -> None:
    shown = state(table_properties={key: "1", "team": "x"})
    other = state(table_properties={key: "2", "team": "y"})

    assert not is_declarable(key)
    assert declarable_properties(shown) == {"team": "x"}
    assert dict(imported_model(shown, Settings()).table.table_properties) == {"team": "x"}
    assert dict(effect_between(shown, other).properties_changed) == {"team": ("x", "y")}
    assert key not in model_source(shown)
    assert key not in comparable(shown).table_properties
    with pytest.raises(InvalidModelError) as raised:
        PlanValidator().validate_models([table(column(), table_properties={key: "1"})])
    assert f"property {key} is written by the platform; leave it out [DS108 ReservedProperty]" in str(raised.value)


def effect_between(before: TableState, after: TableState) -> Effect:
    source: Any = None
    return Effect(table=NAME, before=before, after=after, table_was="kept", commits=(), source=source)


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


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("delta.appendOnyl", "delta.appendOnly"),
        ("DELTA.TUNEFILESIZEFORREWRITES", "delta.tuneFileSizesForRewrites"),
        ("delta.???", None),
    ],
)
def test_the_nearest_key(key: str, nearest: str | None) -> None:
    assert nearest_key(key) == nearest


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
