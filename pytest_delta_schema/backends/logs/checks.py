"""Check a Delta log for damage, and read the files that a reader of its newest version needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.logs.files import (
    BACKUP,
    DamagedLog,
    DoubtfulLog,
    actions_in,
    agrees_with_hadoop,
    content_of,
    edges_of,
    hadoop_checksum_name,
    json_of,
)
from pytest_delta_schema.delta.log_files import (
    LAST_CHECKPOINT,
    SIDECARS,
    CheckpointHint,
    LogListing,
    checksum_name,
    commit_name,
)
from pytest_delta_schema.delta.protocol import protocol_properties
from pytest_delta_schema.delta.well_formed import fault_in_protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeGuard

    from pytest_delta_schema.backends.logs.files import LogFiles

    Commit = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class CheckedLog:
    """A log without damage, with the files that were read to check it."""

    listing: LogListing
    commits: Mapping[str, Commit]
    """The actions of the commits that a reader opens, by the names of their files."""
    checksum: Mapping[str, Any] | None
    """The checksum of the newest version; ``None`` if there is none, or one of another form."""
    reads_checkpoint: bool = False
    """Whether the newest version was read from the checkpoint, which commits and checksum did not tell."""

    @property
    def since_checkpoint(self) -> list[Mapping[str, Any]]:
        """The actions of the commits since the checkpoint, the oldest first."""
        versions = sorted(version for version in self.listing.commits if version > self.listing.checkpoint)
        return [action for version in versions for action in self.commits[commit_name(version)]]

    @cached_property
    def contradicts_checksum(self) -> bool:
        """Whether the newest checksum and the commits differ, which Delta compares when it lists files (4.4.0)."""
        checksum, since = self.checksum or {}, self.since_checkpoint
        known_metadata, known_protocol = checksum.get("metadata"), checksum.get("protocol")
        for metadata in of_kind(since, "metaData")[-1:]:
            if isinstance(known_metadata, dict) and not _are_equal(metadata, known_metadata):
                return True
        for protocol in of_kind(since, "protocol")[-1:]:
            if isinstance(known_protocol, dict) and known_protocol != protocol:
                faults = fault_in_protocol(known_protocol)
                return bool(faults) or dict(protocol_properties(known_protocol)) != dict(protocol_properties(protocol))
        return False


_COMPARED = ("schemaString", "partitionColumns", "configuration", "description")
"""The fields in which the metadata of a checksum must equal the newest metadata in the commits."""

_SHOWN_MISSING = 5
"""How many missing commits are named."""


def _are_equal(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two actions are equal; a key of null is one that is not there."""
    return first == second or all(first.get(key) == second.get(key) for key in first.keys() | second.keys())


def _misnamed(name: str) -> DoubtfulLog:
    fact = f"the number in the name of {name} does not have 20 digits or is too large, and Spark may read that file"
    return DoubtfulLog(fact, "remove it, or give it its name back")


def checked_log(log: LogFiles, names: frozenset[str], listing: LogListing) -> CheckedLog:
    """Read the files that a reader of the newest version needs, once."""
    if listing.misnamed:
        raise _misnamed(listing.misnamed[0])
    if listing.orphan is not None:
        # Delta writes a commit before its checksum.
        checksum, lost = checksum_name(listing.orphan), commit_name(listing.orphan)
        fact = f"{log.path} holds {checksum}, the checksum of a commit, and lacks the commit {lost}"
        raise DamagedLog(fact, f"{BACKUP}; to continue without that commit, delete its checksum")
    if listing.missing:
        is_one = [span.stop - span.start for span in listing.missing] == [1]
        raise DamagedLog(lacking(log, listing.missing), BACKUP if is_one else "restore them from a backup")
    commits, doubts = _read_commits(log, names, listing)
    _compare_merged(log, listing, commits)
    if listing.checkpoint < 0:
        for kind in ("metaData", "protocol"):
            if commits and not any(of_kind(actions, kind) for actions in commits.values()):
                fact = f"no commit in {log.path} holds a {kind} action"
                raise DamagedLog(fact, "restore them from a backup")
    stated = [(name, metadata) for name, actions in commits.items() for metadata in of_kind(actions, "metaData")]
    if stated and not stated[-1][1].get("schemaString"):
        fact = f"{log.path}/{stated[-1][0]} holds metadata without a schema"
        raise DamagedLog(fact, BACKUP)
    doubts += check_checkpoints(log, names, listing)
    newest = check_checksum(log, listing.newest, commits) if listing.newest in listing.checksums else None
    if doubts:  # what is certainly damaged comes first
        raise doubts[0]
    return CheckedLog(listing, commits, newest)


def lacking(log: LogFiles, missing: Sequence[range]) -> str:
    """Return that a log lacks commits; the name of a file can make their number any below 10**20."""
    names = [commit_name(version) for version in islice(chain.from_iterable(missing), _SHOWN_MISSING)]
    more = sum(span.stop - span.start for span in missing) - len(names)
    return f"{log.path} lacks {', '.join(names)}{f' and {more} more' if more else ''}, and later commits are there"


def _read_commits(
    log: LogFiles, names: frozenset[str], listing: LogListing
) -> tuple[dict[str, list[dict[str, Any]]], list[DoubtfulLog]]:
    """Return the actions of the commits, and the commits that do not agree with Hadoop's checksums of them."""
    commits, doubts = {}, []
    for name in listing.needed:
        content, path, sums = content_of(log, name), f"{log.path}/{name}", hadoop_checksum_name(name)
        commits[name] = actions_in(content, path)
        if sums in names and not agrees_with_hadoop(content, content_of(log, sums)):
            doubts.append(DoubtfulLog(f"{path} and its checksum {sums} do not agree", BACKUP))
    return commits, doubts


def _compare_merged(log: LogFiles, listing: LogListing, commits: Mapping[str, Commit]) -> None:
    """Require files that hold several commits in one, which Spark reads in their place, to agree with them."""
    for name, (first, last) in listing.compacted.items():
        if name in commits:
            merged = (commit_name(version) for version in sorted(listing.commits) if first <= version <= last)
            actions = [action for commit in merged for action in commits.get(commit, ())]
            if any(
                of_kind(commits[name], kind)[-1:] != of_kind(actions, kind)[-1:] for kind in ("metaData", "protocol")
            ):
                fact = f"{log.path}/{name} and the commits that it merges hold different metadata"
                raise DoubtfulLog(fact, "remove it: the commits are read then")


def check_checksum(log: LogFiles, version: int, commits: Mapping[str, Commit]) -> dict[str, Any] | None:
    """Require a checksum, which readers use instead of the commits, to agree with them, and return it."""
    checksum = json_of(content_of(log, checksum_name(version)))
    if not isinstance(checksum, dict):
        return None
    path = f"{log.path}/{checksum_name(version)}"
    newest = commits.get(commit_name(version), ())
    ids = [info["txnId"] for info in of_kind(newest, "commitInfo") if info.get("txnId")]
    if checksum.get("txnId") and ids and checksum["txnId"] not in ids:
        fact = f"{path} is the checksum of another commit"
        raise DamagedLog(fact, "delete it: the commits are read then")
    stated = [metadata for actions in commits.values() for metadata in of_kind(actions, "metaData")]
    known = checksum.get("metadata")
    if isinstance(known, dict) and stated and _compared(known) != _compared(stated[-1]):
        fact = f"{path} and the commits of {log.path} hold different metadata"
        raise DamagedLog(fact, "restore the commits from a backup, or, if these are right, delete the checksum")
    return checksum


def _compared(metadata: Mapping[str, Any]) -> list[Any]:
    return [metadata.get(key) or None for key in _COMPARED]


def of_kind(actions: Commit, kind: str) -> list[Mapping[str, Any]]:
    """Return the actions of a kind in a commit."""
    return [action[kind] for action in actions if isinstance(action.get(kind), dict)]


_MAGIC = b"PAR1"


def check_checkpoints(log: LogFiles, names: frozenset[str], listing: LogListing) -> list[DoubtfulLog]:
    """Check the files of the newest checkpoint, and return what is odd in them."""
    hint = CheckpointHint.of(content_of(log, LAST_CHECKPOINT)) if LAST_CHECKPOINT in names else None
    hint = hint if hint and hint.version == listing.checkpoint else None
    remedy = f"delete it and {LAST_CHECKPOINT}, because all commits are there" if listing.has_all_commits else BACKUP
    doubts: list[DoubtfulLog] = []
    for name in listing.checkpoints.get(listing.checkpoint, ()):
        if name.endswith(".json"):
            doubts += _odd_in_json(log, name, remedy)
        else:
            _check_parquet(log, name, remedy)
            doubts += _odd_in_hint(log, hint, remedy) if hint else ()
    return doubts


def _odd_in_hint(log: LogFiles, hint: CheckpointHint, remedy: str) -> Iterator[DoubtfulLog]:
    """Yield what is odd in what ``_last_checkpoint`` says of a checkpoint in parquet, which Spark follows in part."""
    path = f"{log.path}/{LAST_CHECKPOINT}"
    if hint.lacks_actions:
        yield DoubtfulLog(f"{path} has the schema of a checkpoint without metadata or protocol", "delete it")
    for sidecar in hint.sidecars:
        if not _is_name(sidecar) or not _is_there(log, sidecar, remedy):
            yield DoubtfulLog(f"{path} lists the sidecar {sidecar}, which is not in {log.path}/{SIDECARS}", "delete it")
            return


def _odd_in_json(log: LogFiles, name: str, remedy: str) -> Iterator[DoubtfulLog]:
    """Check a checkpoint of the second version and its sidecars, and yield what is odd in it."""
    content, path = content_of(log, name), f"{log.path}/{name}"
    actions = actions_in(content, path, remedy)
    if len(content.splitlines()) > len(actions):
        yield DoubtfulLog(f"{path} has blank lines", remedy)
    if not any(isinstance(action.get("checkpointMetadata"), dict) for action in actions):
        yield DoubtfulLog(f"{path} lacks the version of the checkpoint", remedy)
    for action in actions:
        sidecar = action.get("sidecar")
        if isinstance(sidecar, dict):
            yield from _odd_in_reference(log, name, sidecar, remedy)


def _odd_in_reference(log: LogFiles, name: str, sidecar: Mapping[str, Any], remedy: str) -> Iterator[DoubtfulLog]:
    file = sidecar.get("path")
    if not _is_name(file):
        # Other files than those in the folder are not opened here.
        yield DoubtfulLog(f"{log.path}/{name} refers to the sidecar {file}, which is not the name of a file", remedy)
    elif not _is_there(log, file, remedy):
        fact = f"{log.path}/{SIDECARS}/{file} is not there, and {name} needs it"
        raise DamagedLog(fact, remedy)
    elif sidecar.get("sizeInBytes") != edges_of(log, f"{SIDECARS}/{file}").size:
        yield DoubtfulLog(f"{log.path}/{name} refers to the sidecar {file} with a different size", remedy)


def _is_name(path: Any) -> TypeGuard[str]:
    """Whether the path of a sidecar is the name of a file, which can only be in the folder."""
    return isinstance(path, str) and path not in {"", ".", ".."} and not {*path} & {"/", "\\", "\0"}


def _is_there(log: LogFiles, sidecar: str, remedy: str) -> bool:
    """Check a sidecar, and return whether it is there."""
    try:
        _check_parquet(log, f"{SIDECARS}/{sidecar}", remedy)
    except FileNotFoundError:
        return False
    return True


def _check_parquet(log: LogFiles, name: str, remedy: str) -> None:
    """Require a file to begin and end like parquet: the footer, its length, and the magic bytes."""
    size, head, tail = edges_of(log, name)
    footer = int.from_bytes(tail[:4], "little")
    if head != _MAGIC or tail[4:] != _MAGIC or not 0 < footer <= size - len(_MAGIC) - len(tail):
        fact = f"{log.path}/{name} is cut off or damaged: it has no parquet footer"
        raise DamagedLog(fact, remedy)
