"""Check a Delta log for damage, and read the files that a reader of its newest version needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.backends.concurrency import read_until_settled
from pytest_delta_schema.backends.logs.files import (
    BACKUP,
    CheckedLog,
    Damage,
    DamageFound,
    Doubt,
    DoubtFound,
    agrees_with_hadoop,
    hadoop_checksum_name,
    json_of,
    parsed_actions,
    read_actions,
)
from pytest_delta_schema.delta.log_files import (
    LAST_CHECKPOINT,
    SIDECARS,
    CheckpointHint,
    LogListing,
    checksum_name,
    commit_name,
)
from pytest_delta_schema.delta.protocol import clustering_in, protocol_properties
from pytest_delta_schema.diagnostics.errors import first_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeGuard

    from pytest_delta_schema.backends.logs.files import LocalFiles, LogFiles, LogReader

    Commit = Sequence[Mapping[str, Any]]


def check_log(log: LocalFiles) -> CheckedLog | Damage | Doubt | None:
    """Read the files that a reader of the newest version needs, and return them, their damage, or what is odd in them.

    These are the commits since the newest checkpoint, that checkpoint, ``_last_checkpoint``, and the checksum, or an
    older one with the commits after it. Of a checkpoint in parquet only the first and last bytes are read. All files
    are of one table. The result is ``None`` if the log has changed each time, so neither is certain.
    """
    return _settled(lambda: _look(log, check_and_complete, log.identity))


def inspect_log(log: LogFiles) -> CheckedLog | Damage | Doubt | None:
    """Read what a reader of the newest version needs, like :func:`check_log`, of a log in any file system."""
    try:
        return _settled(lambda: _look(log, checked_log, lambda _: None))
    except FileNotFoundError:
        return None


def damage_of_newest(log: LogReader, version: int) -> Damage | None:
    """Return the damage in the newest commit and its checksum, for a log that cannot be listed."""
    name = commit_name(version)
    try:
        check_checksum(log, version, {name: read_actions(log, name, BACKUP)})
    except DamageFound as error:
        return error.damage
    except DoubtFound:
        return None
    return None


class _Look(NamedTuple):
    """The result of one check."""

    result: CheckedLog | Damage | Doubt | None
    """The files that were read, or what is wrong with them; ``None`` if files were deleted or replaced."""
    names: object = None


def _settled(look: Callable[[], _Look]) -> CheckedLog | Damage | Doubt | None:
    """Return the result of repeated checks; what is wrong only if the last two report the same."""
    looks = read_until_settled(look, lambda check: not isinstance(check.result, CheckedLog))
    last = looks[-1].result
    return None if not isinstance(last, CheckedLog) and last != looks[-2].result else last


def _look(
    log: LogFiles,
    read: Callable[[LogFiles, frozenset[str], LogListing], CheckedLog],
    identity: Callable[[str], object],
) -> _Look:
    """Check a log once; raise a ``FileNotFoundError`` if there is no such log."""
    names: frozenset[str] | None = None
    try:
        names = frozenset(log.names())
        listing = LogListing.of(names)
        first = {name: identity(name) for name in listing.needed[:1]}
        checked = read(log, names, listing)
        is_same = first == {name: identity(name) for name in first}
        return _Look(checked, names) if is_same else _changed()
    except DamageFound as error:
        return _Look(error.damage, names)
    except DoubtFound as error:
        return _Look(error.doubt, names)
    except (FileNotFoundError, NotADirectoryError) as error:
        if names is None:
            raise FileNotFoundError(str(error)) from error
        return _changed()
    except OSError as error:
        remedy = "give the permission to read it, or restore it from a backup"
        return _Look(Damage(f"{log.path}: {first_line(error)}", remedy, is_seen=False), names)


def _changed() -> _Look:
    """Return the result for a log that was changed during the check; it is never equal to a different result."""
    return _Look(None, object())


_COMPARED = ("schemaString", "partitionColumns", "configuration", "description")
"""The fields in which the metadata of a checksum must equal the newest metadata in the commits."""

_MOST_OLDER = 100
"""How many versions a checksum may be older than the newest checkpoint, so few commits are read again."""


def checked_log(log: LogFiles, names: frozenset[str], listing: LogListing) -> CheckedLog:
    """Read the files that a reader of the newest version needs, once."""
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


def _compare_merged(log: LogFiles, listing: LogListing, commits: Mapping[str, Commit]) -> None:
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


def check_checksum(log: LogReader, version: int, commits: Mapping[str, Commit]) -> dict[str, Any] | None:
    """Require a checksum, which readers use instead of the commits, to agree with them, and return it."""
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


def _in(actions: Commit, kind: str) -> list[Mapping[str, Any]]:
    return [action[kind] for action in actions if isinstance(action.get(kind), dict)]


def with_later_commits(
    checksum: Mapping[str, Any], known: Sequence[Commit], later: Sequence[Commit]
) -> dict[str, Any] | None:
    """Return the metadata, protocol and domains of a later version, as its checksum would hold them."""
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
    return [action for actions in commits for action in _in(actions, kind)]


_MAGIC = b"PAR1"


def check_checkpoints(log: LogFiles, names: frozenset[str], listing: LogListing) -> list[Doubt]:
    """Check the files of the newest checkpoint, and return what is odd in them."""
    hint = CheckpointHint.of(log.read(LAST_CHECKPOINT)) if LAST_CHECKPOINT in names else None
    hint = hint if hint and hint.version == listing.checkpoint else None
    remedy = f"delete it and {LAST_CHECKPOINT}, because all commits are there" if listing.has_all_commits else BACKUP
    doubts: list[Doubt] = []
    for name in listing.checkpoints.get(listing.checkpoint, ()):
        if name.endswith(".json"):
            doubts += _odd_in_json(log, name, remedy)
        else:
            _check_parquet(log, name, remedy)
            doubts += _odd_in_hint(log, hint, remedy) if hint else ()
    return doubts


def _odd_in_hint(log: LogFiles, hint: CheckpointHint, remedy: str) -> Iterator[Doubt]:
    """Yield what is odd in what ``_last_checkpoint`` says of a checkpoint in parquet, which Spark follows in part."""
    path = f"{log.path}/{LAST_CHECKPOINT}"
    if hint.lacks_actions:
        yield Doubt(f"{path} has the schema of a checkpoint without metadata or protocol", "delete it")
    for sidecar in hint.sidecars:
        if not _is_name(sidecar) or not _is_there(log, sidecar, remedy):
            yield Doubt(f"{path} lists the sidecar {sidecar}, which is not in {log.path}/{SIDECARS}", "delete it")
            return


def _odd_in_json(log: LogFiles, name: str, remedy: str) -> Iterator[Doubt]:
    """Check a checkpoint of the second version and its sidecars, and yield what is odd in it."""
    content, path = log.read(name), f"{log.path}/{name}"
    actions = parsed_actions(content, path, remedy)
    if len(content.splitlines()) > len(actions):
        yield Doubt(f"{path} has blank lines", remedy)
    if not any(isinstance(action.get("checkpointMetadata"), dict) for action in actions):
        yield Doubt(f"{path} lacks the version of the checkpoint", remedy)
    for action in actions:
        sidecar = action.get("sidecar")
        if isinstance(sidecar, dict):
            yield from _odd_in_reference(log, name, sidecar, remedy)


def _odd_in_reference(log: LogFiles, name: str, sidecar: Mapping[str, Any], remedy: str) -> Iterator[Doubt]:
    file = sidecar.get("path")
    if not _is_name(file):
        # Other files than those in the folder are not opened here.
        yield Doubt(f"{log.path}/{name} refers to the sidecar {file}, which is not the name of a file", remedy)
    elif not _is_there(log, file, remedy):
        raise DamageFound(Damage(f"{log.path}/{SIDECARS}/{file} is not there, and {name} needs it", remedy))
    elif sidecar.get("sizeInBytes") != log.edges(f"{SIDECARS}/{file}").size:
        yield Doubt(f"{log.path}/{name} refers to the sidecar {file} with a different size", remedy)


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
    size, head, tail = log.edges(name)
    footer = int.from_bytes(tail[:4], "little")
    if head != _MAGIC or tail[4:] != _MAGIC or not 0 < footer <= size - len(_MAGIC) - len(tail):
        raise DamageFound(Damage(f"{log.path}/{name} is cut off or damaged: it has no parquet footer", remedy))
