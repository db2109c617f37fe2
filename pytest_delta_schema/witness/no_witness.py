"""Why a finding has no witness: what local Delta cannot play, and where the verdict is from instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.compatibility.faults.column_faults import CollationChanged
from pytest_delta_schema.compatibility.faults.constraint_faults import ConstraintKeyAdded, RelyAdded, RelyKeyAdded
from pytest_delta_schema.compatibility.faults.table_faults import (
    AspectNotOwned,
    CommitsManagedByCatalog,
    ConvertedToDelta,
    PartitioningChanged,
    RetentionShortened,
    SunsetMovedNearer,
)
from pytest_delta_schema.delta.known_properties import is_open_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.compatibility.finding import CompatibilityFinding

_ONLY_PROMISED = "the table stays as it is, and only the promise changes"

_NOT_PLAYED: Mapping[str, str] = {
    row.__name__: reason
    for row, reason in {
        AspectNotOwned: _ONLY_PROMISED,
        CollationChanged: "open-source Delta refuses collations (DELTA_UNSUPPORTED_DATA_TYPES, Delta 4.4.0)",
        CommitsManagedByCatalog: "a table in a folder has no catalog (protocol of Delta: catalogManaged)",
        ConstraintKeyAdded: "Delta enforces no key, so the write succeeds before and after (Delta 4.4.0)",
        ConvertedToDelta: "no contract declares a table of parquet files (guide of the conversion)",
        RelyAdded: "only Databricks relies on keys (documentation of Databricks: RELY)",
        RelyKeyAdded: "only Databricks relies on keys (documentation of Databricks: RELY)",
        RetentionShortened: "nothing is removed before its time has passed (Delta 4.4.0)",
        SunsetMovedNearer: _ONLY_PROMISED,
    }.items()
}
"""The kinds of changes that no table of local Delta shows, with the source of their verdict."""


def not_played(finding: CompatibilityFinding) -> str:
    """Return why local Delta cannot play what a finding is about; ``""`` if it can."""
    if finding.verdict == "not judged":
        return "it is not judged"
    if finding.role == "clients":
        return "clients are judged by the features that they know (page Compatibility of clients)"
    if finding.path.startswith("foreign_keys."):
        return "a script has one table, and Delta enforces no key (Delta 4.4.0)"
    if finding.role == "tracked-streams" and finding.rule == PartitioningChanged.__name__:
        return "only --delta-apply rewrites a table in place, and statements make another table of it (Delta 4.4.0)"
    part, _, key = finding.path.partition(".")
    if part == "properties" and not is_open_source(key):
        return "open-source Delta refuses such a property (DELTA_UNKNOWN_CONFIGURATION, Delta 4.4.0)"
    return _NOT_PLAYED.get(finding.rule, "")
