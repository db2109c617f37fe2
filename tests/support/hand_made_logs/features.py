"""Logs whose protocol and properties disagree: features, and properties that need one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.protocol import READER_FEATURES, WRITER_FEATURES
from support.hand_made_logs.writing import METADATA, PROTOCOL, features, of_actions, of_metadata

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.hand_made_logs.writing import Write

_VALUES = {
    "delta.appendOnly": ("true", "false", "TRUE", "maybe", ""),
    "delta.enableChangeDataFeed": ("true", "maybe"),
    "delta.enableDeletionVectors": ("true", "maybe"),
    "delta.enableTypeWidening": ("true", "maybe"),
    "delta.enableInCommitTimestamps": ("true", "false", "maybe"),
    "delta.enableRowTracking": ("true", "maybe"),
    "delta.enableIcebergCompatV1": ("true",),
    "delta.enableIcebergCompatV2": ("true",),
    "delta.enableIcebergCompatV3": ("true",),
    "delta.enableVariantShredding": ("true",),
    "delta.enableMaterializePartitionColumnsFeature": ("true",),
    "delta.columnMapping.mode": ("none", "name", "id", "NAME", "weird", ""),
    "delta.columnMapping.maxColumnId": ("5", "x"),
    "delta.checkpointPolicy": ("classic", "v2", "weird"),
    "delta.checkpointInterval": ("10", "0", "-1", "x", "99999999999"),
    "delta.logRetentionDuration": ("interval 1 day", "1 day", "weird", ""),
    "delta.deletedFileRetentionDuration": ("interval 1 day", "interval 1 month", "x"),
    "delta.isolationLevel": ("Serializable", "weird"),
    "delta.dataSkippingNumIndexedCols": ("-1", "x"),
    "delta.universalFormat.enabledFormats": ("iceberg", "hudi", "weird"),
    "delta.coordinatedCommits.commitCoordinator-preview": ("x",),
    "delta.redirectReaderWriter-preview": ("{}", "x"),
    "delta.constraints.c": ("id > 0", "other > 0", "not SQL at all (", ""),
    "delta.constraints.": ("id > 0",),
    "delta.feature.appendOnly": ("supported", "weird"),
    "delta.minReaderVersion": ("1", "9"),
    "delta.minWriterVersion": ("9",),
    "delta.ignoreProtocolDefaults": ("true",),
    "delta.unknown": ("x",),
    "delta.randomizeFilePrefixes": ("maybe",),
    "DELTA.APPENDONLY": ("true",),
}


def _named() -> Iterator[tuple[str, Write]]:
    for name in READER_FEATURES:
        yield f"feature {name}", of_actions(METADATA, features(name, reader=(name,)))
        yield f"feature {name} of writers only", of_actions(METADATA, features(name))
    for name in WRITER_FEATURES:
        yield f"feature {name}", of_actions(METADATA, features(name))
    for first, second in (
        ("icebergCompatV1", "columnMapping"),
        ("rowTracking", "domainMetadata"),
        ("clustering", "domainMetadata"),
        ("icebergCompatV1", "icebergCompatV2"),
    ):
        yield f"features {first} and {second}", of_actions(METADATA, features(first, second))
    yield "feature that is not known", of_actions(METADATA, features("weird"))
    yield "feature of readers that is not known", of_actions(METADATA, features("weird", reader=("weird",)))
    yield "feature in another case", of_actions(METADATA, features("APPENDONLY"))
    yield "feature twice", of_actions(METADATA, features("appendOnly", "appendOnly"))
    yield (
        "feature of writers among those of readers",
        of_actions(METADATA, features("appendOnly", reader=("appendOnly",))),
    )
    yield "no features", of_actions(METADATA, features(reader=()))
    yield "empty feature", of_actions(METADATA, features(""))
    for reader, writer in ((1, 2), (2, 5), (1, 7), (3, 6), (2, 7)):
        named = {"minReaderVersion": reader, "minWriterVersion": writer}
        protocol = {**named, "readerFeatures": ["columnMapping"], "writerFeatures": ["columnMapping"]}
        yield f"features in protocol {reader},{writer}", of_actions(METADATA, protocol)


def _properties() -> Iterator[tuple[str, Write]]:
    for key, values in _VALUES.items():
        for value in values:
            yield f"{key} = {value!r}", of_metadata(PROTOCOL, configuration={key: value})
    ict = {"delta.enableInCommitTimestamps": "true"}
    yield "in-commit timestamps with their feature", of_metadata(features("inCommitTimestamp"), configuration=ict)
    yield (
        "two checks that differ by case",
        of_metadata(configuration={"delta.constraints.a": "id > 0", "delta.constraints.A": "id > 1"}),
    )
    yield "two properties that differ by case", of_metadata(configuration={"team": "a", "TEAM": "b"})


CASES = dict((*_named(), *_properties()))
