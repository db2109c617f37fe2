"""Check the commits of a Delta log and the checksum of its newest version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.logs.checkpoint_checks import check_checkpoints
from pytest_delta_schema.backends.logs.log_findings import (
    BACKUP,
    CheckedLog,
    Damage,
    DamageFound,
    Doubt,
    DoubtFound,
    parsed_actions,
    read_actions,
)
from pytest_delta_schema.backends.logs.log_lines import agrees_with_hadoop, hadoop_checksum_name, json_of
from pytest_delta_schema.backends.logs.older_checksum import with_later_commits
from pytest_delta_schema.delta.logs.log_listing import checksum_name, commit_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_delta_schema.backends.logs.log_files import LogFiles, LogReader
    from pytest_delta_schema.delta.logs.log_listing import LogListing

_COMPARED = ("schemaString", "partitionColumns", "configuration", "description")
"""The fields in which the metadata of a checksum must equal the newest metadata in the commits."""

_MOST_OLDER = 100
"""How many versions a checksum may be older than the newest checkpoint, so few commits are read again."""


def checked_log(log: LogFiles, names: frozenset[str], listing: LogListing) -> CheckedLog:
    """Read the files that a reader of the newest version needs, once.

    Raises:
        DamageFound: If they are damaged.
        DoubtFound: If only Spark can tell whether it reads them.
        OSError: If one of them cannot be read.
    """
    if listing.misnamed:
        raise DoubtFound(Doubt.of_name(listing.misnamed[0]))
    if listing.orphan is not None:
        # Delta writes a commit before its checksum.
        checksum, lost = checksum_name(listing.orphan), commit_name(listing.orphan)
        fact = f"{log.path} holds {checksum}, the checksum of a commit, and lacks the commit {lost}"
        raise DamageFound(Damage(fact, f"{BACKUP}; to continue without that commit, delete its checksum"))
    if listing.missing:
        missing = [commit_name(version) for version in listing.missing]
        more = f" and {listing.number_missing - len(missing)} more" if listing.number_missing > len(missing) else ""
        fact = f"{log.path} lacks {', '.join(missing)}{more}, and later commits are there"
        raise DamageFound(Damage(fact, "restore them from a backup" if len(missing) > 1 else BACKUP))
    commits, doubts = _read_commits(log, names, listing)
    _compare_merged(log, listing, commits)
    if listing.checkpoint < 0:
        for kind in ("metaData", "protocol"):
            if commits and not any(_in(actions, kind) for actions in commits.values()):
                raise DamageFound(
                    Damage(f"no commit in {log.path} holds a {kind} action", "restore them from a backup")
                )
    stated = [(name, metadata) for name, actions in commits.items() for metadata in _in(actions, "metaData")]
    if stated and not stated[-1][1].get("schemaString"):
        raise DamageFound(Damage(f"{log.path}/{stated[-1][0]} holds metadata without a schema", BACKUP))
    doubts += check_checkpoints(log, names, listing)
    newest = check_checksum(log, listing.newest, commits) if listing.newest in listing.checksums else None
    if doubts:  # what is certainly damaged comes first
        raise DoubtFound(doubts[0])
    return CheckedLog(listing, commits, newest)


def _read_commits(
    log: LogFiles, names: frozenset[str], listing: LogListing
) -> tuple[dict[str, list[dict[str, Any]]], list[Doubt]]:
    """Return the actions of the commits, and the commits that do not agree with Hadoop's checksums of them."""
    commits, doubts = {}, []
    for name in listing.needed:
        content, path, sums = log.read(name), f"{log.path}/{name}", hadoop_checksum_name(name)
        commits[name] = parsed_actions(content, path, BACKUP)
        if sums in names and not agrees_with_hadoop(content, log.read(sums)):
            doubts.append(Doubt(f"{path} and its checksum {sums} do not agree", BACKUP))
    return commits, doubts


def _compare_merged(log: LogFiles, listing: LogListing, commits: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Require files that hold several commits in one, which Spark reads in their place, to agree with them."""
    for name, (first, last) in listing.compacted.items():
        if name in commits:
            merged = (commit_name(version) for version in sorted(listing.commits) if first <= version <= last)
            actions = [action for commit in merged for action in commits.get(commit, ())]
            if any(_in(commits[name], kind)[-1:] != _in(actions, kind)[-1:] for kind in ("metaData", "protocol")):
                fact = f"{log.path}/{name} and the commits that it merges hold different metadata"
                raise DoubtFound(Doubt(fact, "remove it: the commits are read then"))


def check_and_complete(log: LogFiles, names: frozenset[str], listing: LogListing) -> CheckedLog:
    """Check a log, and read an older checksum if the newest version has none and its commits are not all of the log."""
    checked = checked_log(log, names, listing)
    if checked.checksum is not None or listing.checkpoint < 0:
        return checked
    return checked._replace(checksum=_from_older_checksum(log, checked))


def _from_older_checksum(log: LogReader, checked: CheckedLog) -> dict[str, Any] | None:
    """Return what an older checksum and later commits say of the newest version; ``None`` if they do not agree.

    Spark reads neither that checksum nor commits before the checkpoint, so faults in them are not damage.
    """
    listing = checked.listing
    older = max((version for version in listing.checksums if version < listing.newest), default=-1)
    if older < 0 or listing.checkpoint - older > _MOST_OLDER:
        return None
    versions = range(min(older, listing.checkpoint + 1), listing.newest + 1)
    if not all(version in listing.commits for version in versions):
        return None
    try:
        commits = {}
        for version in versions:
            name = commit_name(version)
            commits[version] = checked.commits[name] if name in checked.commits else read_actions(log, name, BACKUP)
        known = {commit_name(version): actions for version, actions in commits.items() if version <= older}
        checksum = check_checksum(log, older, known)
    except FileNotFoundError:
        raise
    except (OSError, DamageFound, DoubtFound):
        return None
    later = [actions for version, actions in commits.items() if version > older]
    return None if checksum is None else with_later_commits(checksum, [*known.values()], later)


def check_checksum(
    log: LogReader, version: int, commits: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any] | None:
    """Require a checksum, which readers use instead of the commits, to agree with them, and return it.

    One that is not JSON is ignored, as readers do.
    """
    checksum = json_of(log.read(checksum_name(version)))
    if not isinstance(checksum, dict):
        return None
    path = f"{log.path}/{checksum_name(version)}"
    newest = commits.get(commit_name(version), ())
    ids = [info["txnId"] for info in _in(newest, "commitInfo") if info.get("txnId")]
    if checksum.get("txnId") and ids and checksum["txnId"] not in ids:
        raise DamageFound(Damage(f"{path} is the checksum of another commit", "delete it: the commits are read then"))
    stated = [metadata for actions in commits.values() for metadata in _in(actions, "metaData")]
    known = checksum.get("metadata")
    if isinstance(known, dict) and stated and _compared(known) != _compared(stated[-1]):
        fact = f"{path} and the commits of {log.path} hold different metadata"
        raise DamageFound(
            Damage(fact, "restore the commits from a backup, or, if these are right, delete the checksum")
        )
    return checksum


def _compared(metadata: Mapping[str, Any]) -> list[Any]:
    return [metadata.get(key) or None for key in _COMPARED]


def _in(actions: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [action[kind] for action in actions if isinstance(action.get(kind), dict)]
