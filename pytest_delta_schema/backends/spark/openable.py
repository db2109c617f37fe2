"""Whether Spark certainly opens a table, so all readers show the same state, or has to be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.logs.log_findings import CheckedLog, Doubt
from pytest_delta_schema.backends.logs.newest_version import contradicts_checksum
from pytest_delta_schema.delta.features import (
    COLUMN_MAPPING,
    FEATURES,
    TYPE_WIDENING,
    V2_CHECKPOINT,
    base_feature,
    is_read_by_clients,
)
from pytest_delta_schema.delta.logs.well_formed_fields import faults_of_struct
from pytest_delta_schema.delta.names.folded_names import NameSet, folded
from pytest_delta_schema.delta.protocol import supported_features
from pytest_delta_schema.state.required_features import required_features
from pytest_delta_schema.state.type_traversal import unknown_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from pytest_delta_schema.backends.logs.log_findings import Damage
    from pytest_delta_schema.state.delta_log import LogSchema
    from pytest_delta_schema.state.log_facts import LogFacts
    from pytest_delta_schema.state.states import TableState

_READ_BY_ALL = frozenset({COLUMN_MAPPING, "deletionVectors", "timestampNtz", V2_CHECKPOINT, "vacuumProtocolCheck"})
"""The features for readers that every supported Delta knows (Delta 3.3.3 to 4.4.0)."""

_READ_SINCE = {(4, 4): frozenset({TYPE_WIDENING, "variantType"})}
"""Further ones, by the first Delta with which they were tried."""

_NEWEST_READER, _NEWEST_WRITER = 3, 7
"""The versions of a protocol with named features."""

_ELSEWHERE = ("delta.coordinatedcommits.", "delta.redirect")
"""Beginnings of properties, in lower case, of tables whose newest version is not, or not only, in their folder."""

_COLLATED = "string collate"

_UNCHECKED = frozenset({"invariants"})
"""Features that Delta does not require for what this package says needs them: NOT NULL needs none (Delta 4.4.0)."""


def is_openable(facts: LogFacts, state: TableState, delta: tuple[int, int]) -> bool:
    """Whether Spark certainly opens a table.

    Spark refuses features and types that it does not know, and metadata that needs a feature which the protocol lacks
    (Delta 4.4.0).
    """
    configuration = facts.metadata.get("configuration") or {}
    return (
        _is_known(facts.protocol, state, delta)
        and not any(folded(key).startswith(_ELSEWHERE) for key in configuration)
        and not any(unknown_parts(state.columns))
    )


def may_lack_rows(inspected: CheckedLog | Damage | Doubt | None, protocol: Mapping[str, Any]) -> bool:
    """Whether Spark may open a table and then refuse to list its files, because something in its log is odd.

    That is not known of a checkpoint of the second version in parquet, whose sidecars only its reader knows.

    The protocol is the ``protocol`` action of the inspected log.
    """
    if not isinstance(inspected, CheckedLog):
        return isinstance(inspected, Doubt)
    features = {*(protocol.get("readerFeatures") or ()), *(protocol.get("writerFeatures") or ())}
    is_classic = V2_CHECKPOINT not in map(base_feature, features)
    second = inspected.listing.second_checkpoints
    return contradicts_checksum(inspected) or any(is_classic or name.endswith(".parquet") for name in second)


def may_be_refused(schema: LogSchema, partitioning: Sequence[str]) -> bool:
    """Whether Spark may refuse to open a table by its location that it opens by its name (Spark 4.2.0)."""
    unknown = (atom for _, atom in unknown_parts(schema.columns))
    return (
        not all(atom.startswith(_COLLATED) for atom in unknown)
        or any(faults_of_struct(schema.parsed))
        or len(NameSet(partitioning)) < len(partitioning)
    )


def _is_known(protocol: Mapping[str, Any], state: TableState, delta: tuple[int, int]) -> bool:
    """Whether Delta knows a protocol, and the protocol has the features that the table needs."""
    reader, writer = protocol["minReaderVersion"], protocol["minWriterVersion"]
    if not (1 <= reader <= _NEWEST_READER and 1 <= writer <= _NEWEST_WRITER):
        return False
    features = {*(protocol.get("readerFeatures") or ()), *(protocol.get("writerFeatures") or ())}
    newer = (known for first, known in _READ_SINCE.items() if delta >= first)
    readable = _READ_BY_ALL.union(*newer)
    if not all(feature in FEATURES for feature in features):
        return False
    if not all(map(is_read_by_clients, protocol.get("readerFeatures", ()))):
        return False
    if not all(feature in readable for feature in features if is_read_by_clients(feature)):
        return False
    needs = {need.name for need in required_features(state)}
    return needs - _UNCHECKED <= supported_features(state.table_properties)
