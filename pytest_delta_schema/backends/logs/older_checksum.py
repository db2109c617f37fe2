"""Calculate the checksum of a version from an older checksum and the commits after it.

Spark writes the checksum of a version after its commit, so the newest version may have none yet (Delta 4.4.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.clustering import clustering_in
from pytest_delta_schema.delta.protocol import protocol_properties

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Commit = Sequence[Mapping[str, Any]]


def with_later_commits(
    checksum: Mapping[str, Any], known: Sequence[Commit], later: Sequence[Commit]
) -> dict[str, Any] | None:
    """Return the metadata, protocol and domains of a later version, as its checksum would hold them.

    ``known`` are the actions of commits up to the version of the checksum, and ``later`` those of all commits after it;
    the oldest commit comes first. The result is ``None`` if the commits contradict the checksum.
    """
    metadata, protocol, domains = (checksum.get(key) for key in ("metadata", "protocol", "domainMetadata"))
    if not isinstance(metadata, dict) or not isinstance(protocol, dict):
        return None
    stated = _actions(known, "protocol")
    if stated and dict(protocol_properties(stated[-1])) != dict(protocol_properties(protocol)):
        return None
    clustering = clustering_in(_actions(known, "domainMetadata"))
    if isinstance(domains, list) and clustering is not None and clustering != (clustering_in(domains) or ()):
        return None
    result: dict[str, Any] = {
        "metadata": (metadata, *_actions(later, "metaData"))[-1],
        "protocol": (protocol, *_actions(later, "protocol"))[-1],
    }
    if isinstance(domains, list):
        result["domainMetadata"] = [*domains, *_actions(later, "domainMetadata")]
    return result


def _actions(commits: Iterable[Commit], kind: str) -> list[Mapping[str, Any]]:
    return [action[kind] for actions in commits for action in actions if isinstance(action.get(kind), dict)]
