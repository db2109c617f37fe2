"""Read the newest version of a Delta log from its commits and its checksum, without a JVM and without parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.clustering import clustering_in, may_be_clustered
from pytest_delta_schema.delta.logs.log_listing import commit_name
from pytest_delta_schema.delta.logs.well_formed import fault_in_protocol
from pytest_delta_schema.delta.protocol import protocol_properties
from pytest_delta_schema.state.log_facts import LogFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.backends.logs.log_findings import CheckedLog
    from pytest_delta_schema.delta.clustering import Paths

_DOMAINS = "domainMetadata"


def newest_version(checked: CheckedLog) -> LogFacts | None:
    """Return the newest version of a log; ``None`` if only its checkpoint, or another reader, can tell.

    A checksum holds the metadata, the protocol and the domains of its version, and a commit those that it changes
    (source: Delta's protocol). Delta reads the checksum and, if there is none, the log (Delta 4.4.0).
    """
    checksum = checked.checksum or {}
    known_metadata, known_protocol = checksum.get("metadata"), checksum.get("protocol")
    if contradicts_checksum(checked):
        return None
    metadata, protocol = _newest(checked, "metaData"), _newest(checked, "protocol")
    metadata = known_metadata if metadata is None else metadata
    protocol = known_protocol if protocol is None else protocol
    if not isinstance(metadata, dict) or not isinstance(protocol, dict):
        return None
    clustering = _clustering(checked, checksum) if may_be_clustered(protocol) else ()
    return None if clustering is None else LogFacts(metadata, protocol, clustering, checked.listing.newest)


def contradicts_checksum(checked: CheckedLog) -> bool:
    """Whether the newest checksum and the commits differ, so readers of either would see two different tables.

    Delta compares them when it lists the files of the table (Delta 4.4.0).
    """
    checksum = checked.checksum or {}
    known_metadata, known_protocol = checksum.get("metadata"), checksum.get("protocol")
    metadata, protocol = _newest(checked, "metaData"), _newest(checked, "protocol")
    if metadata is not None and isinstance(known_metadata, dict) and not _are_equal(metadata, known_metadata):
        return True
    if protocol is None or not isinstance(known_protocol, dict) or known_protocol == protocol:
        return False
    faults = fault_in_protocol(known_protocol)
    return bool(faults) or dict(protocol_properties(known_protocol)) != dict(protocol_properties(protocol))


def _are_equal(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two actions are equal; a key of null is one that is not there."""
    return first == second or all(first.get(key) == second.get(key) for key in first.keys() | second.keys())


def _newest(checked: CheckedLog, kind: str) -> Mapping[str, Any] | None:
    """Return the newest action of a kind among the commits since the checkpoint."""
    return next((action for actions in _commits(checked, kind) for action in reversed(actions)), None)


def _clustering(checked: CheckedLog, checksum: Mapping[str, Any]) -> Paths | None:
    """Return the clustering columns by their physical names; ``None`` if the checkpoint may hold them."""
    domains = checksum.get(_DOMAINS)
    if isinstance(domains, list):
        return clustering_in(domains) or ()
    for actions in _commits(checked, _DOMAINS):
        paths = clustering_in(actions)
        if paths is not None:
            return paths
    return () if checked.listing.checkpoint < 0 else None


def _commits(checked: CheckedLog, kind: str) -> Iterator[list[Mapping[str, Any]]]:
    """Yield the actions of a kind of each commit since the checkpoint, the newest commit first."""
    versions = sorted(version for version in checked.listing.commits if version > checked.listing.checkpoint)
    for version in reversed(versions):
        actions = checked.commits[commit_name(version)]
        yield [action[kind] for action in actions if isinstance(action.get(kind), dict)]
