"""Table properties: the keys and values that Delta Lake and Databricks know, and when two values mean the same."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names import ColumnPath, NameMap, NameSet, folded, nearest_name
from pytest_delta_schema.delta.protocol import (
    FEATURE_PREFIX,
    IN_NO_LOG,
    MAPPING_PROPERTY,
    PROTOCOL_VERSIONS,
    is_in_no_log,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

DELTA = "delta."
"""The prefix, in lower case, of the keys that Delta Lake reserves."""

CHECK_PREFIX = "delta.constraints."
"""The beginning of properties that hold a CHECK constraint: its name in lower case follows, the value is its text."""

PREFIXES = ("delta.constraints.", "delta.feature.", "delta.universalformat.config.")
"""Prefixes, in lower case, of keys that Delta accepts without an entry in its registry (Delta 4.4.0)."""

RESERVED = {
    "comment": "write comment=... on the Table",
    "external": "leave it out",
    "location": "leave it out",
    "owner": "set the owner in the catalog",
    "provider": "leave it out; every table is Delta",
}
"""Keys that Spark's parser or Delta reserve (Spark 4.2.0, Delta 4.4.0), each with the remedy."""

TABLE_ID = "io.unitycatalog.tableId"
"""The property with the id of a table to whose log Unity Catalog commits."""

PLATFORM = IN_NO_LOG | {
    "delta.columnmapping.maxcolumnid",
    "delta.incommittimestampenablementtimestamp",
    "delta.incommittimestampenablementversion",
    "delta.rowtracking.materializedrowidcolumnname",
    "delta.rowtracking.materializedrowcommitversioncolumnname",
    folded(TABLE_ID),
}
"""Keys, in lower case, that Delta, Unity Catalog or Databricks write by themselves, next to those that no log has."""

IMPOSED: Mapping[str, str] = MappingProxyType(
    {
        "delta.checkpoint.writeStatsAsJson": "true",
        "delta.checkpoint.writeStatsAsStruct": "true",
        "delta.checkpointPolicy": "v2",
        "delta.columnMapping.mode": "name",
        "delta.enableDeletionVectors": "true",
        "delta.enableInCommitTimestamps": "true",
        "delta.enableRowTracking": "true",
        "delta.randomizeFilePrefixes": "true",
    }
)
"""What Unity Catalog gives each new table to whose log it commits; a model may declare other values (0.6.0)."""


def is_written_by_platform(key: str) -> bool:
    """Whether a platform writes a property by itself, so no model declares it."""
    return folded(key) in PLATFORM or is_in_no_log(key)


OPEN_SOURCE = (
    "delta.appendOnly",
    "delta.autoOptimize",
    "delta.autoOptimize.autoCompact",
    "delta.autoOptimize.optimizeWrite",
    "delta.castIcebergTimeType",
    "delta.checkpoint.writeStatsAsJson",
    "delta.checkpoint.writeStatsAsStruct",
    "delta.checkpointInterval",
    "delta.checkpointPolicy",
    "delta.checkpointRetentionDuration",
    "delta.columnMapping.maxColumnId",
    "delta.columnMapping.mode",
    "delta.compatibility.symlinkFormatManifest.enabled",
    "delta.coordinatedCommits.commitCoordinator-preview",
    "delta.coordinatedCommits.commitCoordinatorConf-preview",
    "delta.coordinatedCommits.tableConf-preview",
    "delta.dataSkippingNumIndexedCols",
    "delta.dataSkippingStatsColumns",
    "delta.dataSkippingStringPrefixLength",
    "delta.deletedFileRetentionDuration",
    "delta.dropFeatureTruncateHistory.retentionDuration",
    "delta.enableChangeDataCapture",
    "delta.enableChangeDataFeed",
    "delta.enableDeletionVectors",
    "delta.enableExpiredLogCleanup",
    "delta.enableFullRetentionRollback",
    "delta.enableIcebergCompatV1",
    "delta.enableIcebergCompatV2",
    "delta.enableIcebergCompatV3",
    "delta.enableInCommitTimestamps",
    "delta.enableMaterializePartitionColumnsFeature",
    "delta.enableRowTracking",
    "delta.enableTypeWidening",
    "delta.enableVariantShredding",
    "delta.ignoreIcebergBucketPartition",
    "delta.ignoreProtocolDefaults",
    "delta.inCommitTimestampEnablementTimestamp",
    "delta.inCommitTimestampEnablementVersion",
    "delta.isolationLevel",
    "delta.logRetentionDuration",
    "delta.minReaderVersion",
    "delta.minWriterVersion",
    "delta.parquet.format.version",
    "delta.randomPrefixLength",
    "delta.randomizeFilePrefixes",
    "delta.redirectReaderWriter-preview",
    "delta.redirectWriterOnly-preview",
    "delta.requireCheckpointProtectionBeforeVersion",
    "delta.rowTrackingSuspended",
    "delta.sampleRetentionDuration",
    "delta.setTransactionRetentionDuration",
    "delta.universalFormat.enabledFormats",
    "delta.universalFormat.iceberg.atomicConversion.supported",
    "delta.writePartitionColumnsToParquet",
)
"""The keys in the registry of open-source Delta 4.4.0, which has all those of Delta 3.3.3 and 4.0.1."""

REGISTRY = frozenset(map(folded, OPEN_SOURCE))
"""The keys of open-source Delta in lower case."""

DATABRICKS: Mapping[str, str] = MappingProxyType(
    {
        "delta.liquid.clusteringColumns": "databricks/terraform-provider-databricks, sqlTableIsManagedProperty",
        "delta.parquet.compression.codec": "SHOW CREATE TABLE of tables on Databricks",
        "delta.targetFileSize": "docs.databricks.com, Table properties reference",
        "delta.tuneFileSizesForRewrites": "docs.databricks.com, Table properties reference",
        "delta.workloadBasedColumns.deltaFileStatistics": "tables with predictive optimization on Databricks",
        "delta.workloadBasedColumns.optimizerStatistics": "SHOW CREATE TABLE of tables on Databricks",
    }
)
"""Keys that Databricks knows and open-source Delta 4.4.0 does not, each with its source (November 2026)."""

_FILE_SIZES = "docs.databricks.com, Configure Delta Lake to control data file size"
DATABRICKS_VALUES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "delta.autoOptimize.autoCompact": {"auto": _FILE_SIZES, "legacy": _FILE_SIZES},
        "delta.isolationLevel": {
            "WriteSerializable": "docs.databricks.com, Isolation levels and write conflicts on Databricks"
        },
    }
)
"""Values that Databricks takes, and Delta 4.4.0 refuses for keys that it knows, with their sources (November 2026)."""

_DATABRICKS = frozenset(map(folded, DATABRICKS))
_DATABRICKS_VALUES = NameMap(DATABRICKS_VALUES.items())


def is_open_source(key: str, registry: Collection[str] = REGISTRY) -> bool:
    """Whether open-source Delta accepts a property, or ignores it because Delta does not define it."""
    name = folded(key)
    return not name.startswith(DELTA) or name in registry or name.startswith(PREFIXES)


def is_databricks_only(key: str, registry: Collection[str] = REGISTRY) -> bool:
    """Whether Databricks knows a property that open-source Delta refuses."""
    return folded(key) in _DATABRICKS and not is_open_source(key, registry)


def is_emulated(key: str, value: str | None, registry: Collection[str] = REGISTRY) -> bool:
    """Whether Databricks takes a property, and open-source Delta refuses its key, or this value of it."""
    values = NameSet(_DATABRICKS_VALUES.get(key) or ())
    return is_databricks_only(key, registry) or (bool(values) if value is None else value in values)


def is_known(key: str) -> bool:
    """Whether open-source Delta or Databricks knows a property, or does not look at it."""
    return is_open_source(key) or is_databricks_only(key)


def nearest_key(key: str) -> str | None:
    """Return the known key that resembles a misspelt one most; ``None`` if none does."""
    return nearest_name(key, (*OPEN_SOURCE, *DATABRICKS))


LOG_RETENTION, FILE_RETENTION = "delta.logRetentionDuration", "delta.deletedFileRetentionDuration"
"""How long a table keeps its log, and files that were removed: the log at least as long as the files."""

STATISTICS = "delta.dataSkippingStatsColumns"
"""The columns for which files have statistics."""

RETENTIONS: Mapping[str, int] = MappingProxyType(
    {folded(LOG_RETENTION): 30 * 24 * 3_600_000, folded(FILE_RETENTION): 7 * 24 * 3_600_000}
)
"""The two, in lower case, with their defaults in milliseconds (Delta 4.4.0)."""

_LARGEST_INT, _LARGEST_LONG = 2**31 - 1, 2**63 - 1
_NUMBERS = NameSet(
    (
        "delta.checkpointInterval",
        "delta.dataSkippingNumIndexedCols",
        "delta.dataSkippingStringPrefixLength",
        "delta.randomPrefixLength",
    )
)
_WORDS = NameSet(("delta.isolationLevel", MAPPING_PROPERTY))
_LISTS_OF_COLUMNS = NameSet((STATISTICS,))

_NUMBER = re.compile(r"[+-]?[0-9]+")
_QUOTED = r"`(?:[^`]|``)*`"
_PART = rf"\s*(?:{_QUOTED}|[^.,`\s](?:[^.,`]*[^.,`\s])?)\s*"
_PATH = rf"{_PART}(?:\.{_PART})*"
_LIST = re.compile(rf"{_PATH}(?:,{_PATH})*")
_NAMES = re.compile(rf"({_QUOTED})|([^.,`]+)|([.,])")

_MICROSECONDS = {
    "week": 7 * 24 * 3_600_000_000,
    "day": 24 * 3_600_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1000,
    "microsecond": 1,
}
_AMOUNT = r"[+-]?[0-9]+(?:\.[0-9]{1,9}(?=\s+seconds?\b))?\s+[a-z]+"
_INTERVAL = re.compile(rf"(?:interval \s*)?({_AMOUNT}(?:\s+{_AMOUNT})*)")
_AMOUNTS = re.compile(r"([+-]?)([0-9]+)(?:\.([0-9]*))?\s+([a-z]+)")


def equal_values(key: str, wanted: str, stored: str | None) -> bool:
    """Whether two values of a property mean the same to Delta (4.4.0).

    Values of Delta's own keys are compared as booleans, intervals, numbers, words and lists of columns, where both
    sides can be read so. A protocol version is reached when it is exceeded, because Delta never lowers one; a version
    that only lets the protocol name its features is always reached, because Delta lowers it to what the features need.
    All other values are compared as text.
    """
    if wanted == stored:
        return True
    name = folded(key)
    if stored is None or not name.startswith(DELTA):
        return False
    if name in PROTOCOL_VERSIONS:
        least, actual = _number(wanted), _number(stored)
        return least is not None and actual is not None and (actual >= least or least == PROTOCOL_VERSIONS[name])
    read = _reader(name)
    value = read(wanted)
    return value is not None and value == read(stored)


def _reader(name: str) -> Callable[[str], object]:
    """Return the function that reads the values of a property; it returns ``None`` for anything that is not a value."""
    if name in _NUMBERS:
        return _number
    if name in _WORDS:
        return str.lower
    return _columns if name in _LISTS_OF_COLUMNS else _boolean_or_interval


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


def _columns(text: str) -> list[ColumnPath] | None:
    """Return the paths of columns in a list, which are equal without regard to case; ``None`` for a malformed one."""
    if _LIST.fullmatch(text) is None:
        return None
    paths: list[list[str]] = [[]]
    for quoted, bare, separator in _NAMES.findall(text):
        if separator == ",":
            paths.append([])
        elif quoted:
            paths[-1].append(quoted[1:-1].replace("``", "`"))
        elif bare.strip():
            paths[-1].append(bare.strip())
    return [ColumnPath(*path) for path in paths]


def _boolean_or_interval(text: str) -> tuple[str, object] | None:
    if text.lower() in {"true", "false"}:
        return "boolean", text.lower()
    length = milliseconds(text)
    return None if length is None else ("milliseconds", length)


def milliseconds(text: str) -> int | None:
    """Return the length of an interval as Delta uses it; it refuses quoted amounts, months and negative intervals."""
    match = _INTERVAL.fullmatch(text.strip().lower())
    if match is None:
        return None
    total = 0
    for sign, amount, fraction, unit in _AMOUNTS.findall(match.group(1)):
        size = _MICROSECONDS.get(unit.removesuffix("s"))
        if size is None:
            return None
        microseconds = int(amount) * size + int(fraction.ljust(6, "0")[:6])
        total += -microseconds if sign == "-" else microseconds
    return total // 1000 if 0 <= total <= _LARGEST_LONG else None


class _Values(NamedTuple):
    """The values of a property that Delta accepts."""

    text: str
    accepts: Callable[[str], bool]


def _words(*words: str) -> _Values:
    """Accept words in any case."""
    known = NameSet(words)
    return _Values(" or ".join([", ".join(words[:-1]), words[-1]]), lambda text: text in known)


def _integers(least: int, most: int) -> _Values:
    def accepts(text: str) -> bool:
        value = _number(text)
        return value is not None and least <= value <= most

    return _Values(f"an integer from {least} to {most}", accepts)


_SWITCH = _words("true", "false")
_INTERVAL_VALUE = _Values(
    "an interval without months and years, such as 'interval 30 days'", lambda text: milliseconds(text) is not None
)
_FEATURE_VALUE = _words("supported", "enabled")
_FORMATS = frozenset({"iceberg", "hudi", ""})
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_OTHER_VALUES = NameMap(
    (
        ("delta.checkpointInterval", _integers(1, _LARGEST_INT)),
        ("delta.checkpointPolicy", _Values("classic or v2", {"classic", "v2"}.__contains__)),
        ("delta.checkpointRetentionDuration", _INTERVAL_VALUE),
        (MAPPING_PROPERTY, _words("none", "name", "id")),
        ("delta.dataSkippingNumIndexedCols", _integers(-1, _LARGEST_INT)),
        (
            STATISTICS,
            _Values("columns with commas between them", lambda text: not text or _columns(text) is not None),
        ),
        ("delta.dataSkippingStringPrefixLength", _integers(0, _LARGEST_INT)),
        (FILE_RETENTION, _INTERVAL_VALUE),
        ("delta.dropFeatureTruncateHistory.retentionDuration", _INTERVAL_VALUE),
        ("delta.isolationLevel", _Values("Serializable", lambda text: text.lower() == "serializable")),
        (LOG_RETENTION, _INTERVAL_VALUE),
        ("delta.minReaderVersion", _integers(1, 3)),
        ("delta.minWriterVersion", _integers(1, 7)),
        (
            "delta.parquet.format.version",
            _Values("three numbers, such as 1.0.0", lambda text: _VERSION.fullmatch(text) is not None),
        ),
        ("delta.randomPrefixLength", _integers(1, _LARGEST_INT)),
        ("delta.requireCheckpointProtectionBeforeVersion", _integers(0, _LARGEST_LONG)),
        ("delta.sampleRetentionDuration", _INTERVAL_VALUE),
        ("delta.setTransactionRetentionDuration", _INTERVAL_VALUE),
        (
            "delta.universalFormat.enabledFormats",
            _Values("iceberg, hudi or iceberg,hudi", lambda text: _FORMATS.issuperset(text.split(","))),
        ),
    )
)
"""What Delta 4.4.0 accepts for keys that are no switches (``DeltaConfigs.validateConfigurations``)."""

_PREVIEW = "-preview"
"""The end of the keys of features in preview, whose values are not judged, as are those that a platform writes."""


def expected_value(key: str, value: str) -> str | None:
    """Return what a value that Delta 4.4.0 and Databricks refuse has to be, such as ``true or false``; or ``None``."""
    name = folded(key)
    is_feature = name.startswith(FEATURE_PREFIX)
    if not is_feature and (name not in REGISTRY or name.endswith(_PREVIEW) or is_written_by_platform(key)):
        return None
    values = _FEATURE_VALUE if is_feature else _OTHER_VALUES.get(key) or _SWITCH
    if values.accepts(value) or is_emulated(key, value):
        return None
    return " or ".join([values.text, *(_DATABRICKS_VALUES.get(key) or ())])


def named_columns(value: str) -> list[ColumnPath]:
    """Return the paths of the columns for which files have statistics, as a property lists them."""
    return _columns(value) or []


def removes_files_after_their_log(properties: Mapping[str, str | None]) -> bool:
    """Whether removed files are kept longer than the log; what is not set is the default (Delta 4.4.0)."""
    given = NameMap((key, value) for key, value in properties.items() if value is not None)
    log, files = (default if key not in given else milliseconds(given[key]) for key, default in RETENTIONS.items())
    return log is not None and files is not None and files > log
