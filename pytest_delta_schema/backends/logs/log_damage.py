"""Find damage in a Delta log that fails readers of rows, and that readers of metadata may not notice.

Delta takes the metadata of the newest version from its checksum file, without reading the commit; readers skip empty
commits, as if they did not exist (Delta 4.4.0, deltalake 1.6.6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.backends.logs.log_lines import (
    CutOffError,
    UncertainError,
    actions_in,
    agrees_with_hadoop,
    hadoop_checksum_name,
    json_of,
)
from pytest_delta_schema.backends.logs.older_checksum import with_later_commits
from pytest_delta_schema.backends.logs.second_look import read_until_settled
from pytest_delta_schema.backends.problems import problem
from pytest_delta_schema.delta.logs.log_listing import (
    LAST_CHECKPOINT,
    SIDECARS,
    CheckpointHint,
    LogListing,
    checksum_name,
    commit_name,
    sidecars_in,
)
from pytest_delta_schema.diagnostics.errors import first_line
from pytest_delta_schema.diagnostics.faults import DamagedTable, UnreadableTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_delta_schema.backends.logs.log_files import LocalFiles, LogFiles, LogReader
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName

_MAGIC = b"PAR1"
_BACKUP = "restore it from a backup"
_COMPARED = ("schemaString", "partitionColumns", "configuration", "description")
"""The fields in which the metadata of a checksum must equal the newest metadata in the commits."""

_MOST_OLDER = 100
"""How many versions a checksum may be older than the newest checkpoint, so few commits are read again."""


class Damage(NamedTuple):
    """Damage of a log.

    Args:
        fact: The file, and what is wrong with it.
        remedy: What to do about it.
        is_seen: Whether the files were read and are damaged; otherwise they could not be read.
    """

    fact: str
    remedy: str
    is_seen: bool = True

    def of(self, table: QualifiedName) -> Diagnostic:
        """Return the problem of the table that has this log."""
        fault = DamagedTable if self.is_seen else UnreadableTable
        return problem(fault, table, self.message, self.remedy)

    @property
    def message(self) -> str:
        """The message for the table that has this log."""
        return f"its Delta log {'is damaged' if self.is_seen else 'cannot be read'} ({self.fact})"


class CheckedLog(NamedTuple):
    """A log without damage, with the files that were read to check it.

    Args:
        listing: The files of the log.
        commits: The actions of the commits that a reader opens, by the names of their files.
        checksum: The checksum of the newest version, or what it would hold by an older one and the commits after that;
            ``None`` if there is neither.
    """

    listing: LogListing
    commits: Mapping[str, Sequence[Mapping[str, Any]]]
    checksum: Mapping[str, Any] | None


class Doubt(NamedTuple):
    """A part of a log of which only Spark can tell whether it reads it."""

    fact: str
    remedy: str

    @classmethod
    def of_name(cls, name: str) -> Doubt:
        """Return what is odd in the name of a file."""
        fact = f"the number in the name of {name} does not have 20 digits or is too large, and Spark may read that file"
        return cls(fact, "remove it, or give it its name back")


class _DoubtFound(Exception):  # noqa: N818 - carries the answer out of the checks
    def __init__(self, doubt: Doubt) -> None:
        self.doubt = doubt
        super().__init__(doubt.fact)


class _DamageFound(Exception):  # noqa: N818 - carries the answer out of the checks
    def __init__(self, damage: Damage) -> None:
        self.damage = damage
        super().__init__(damage.fact)


class _Look(NamedTuple):
    """The result of one check.

    Args:
        result: The files that were read, or what is wrong with them; ``None`` if files were deleted or replaced.
        names: The names that were listed.
    """

    result: CheckedLog | Damage | Doubt | None
    names: object = None


def damage_of(log: LogFiles) -> Damage | None:
    """Return the damage in the files that a reader of the newest version needs; ``None`` if none is certain.

    Damage is certain if two checks in a row, each with its own listing, find it. A log that does not exist has none.
    """
    try:
        checked = _settled(lambda: _look(log, _check, lambda _: None))
    except FileNotFoundError:
        return None
    return checked if isinstance(checked, Damage) else None


def check_log(log: LocalFiles) -> CheckedLog | Damage | Doubt | None:
    """Read the files that a reader of the newest version needs, and return them, their damage, or what is odd in them.

    These are the commits since the newest checkpoint, that checkpoint, ``_last_checkpoint``, and the checksum, or an
    older one with the commits after it. Of a checkpoint in parquet only the first and last bytes are read. All files
    are of one table.

    Returns:
        ``None`` if the log has changed each time, so neither is certain.

    Raises:
        FileNotFoundError: If there is no such log.
    """
    return _settled(lambda: _look(log, _check_and_complete, log.identity))


def _settled(look: Callable[[], _Look]) -> CheckedLog | Damage | Doubt | None:
    """Return the result of repeated checks; what is wrong only if the last two report the same."""
    looks = read_until_settled(look, lambda check: not isinstance(check.result, CheckedLog))
    last = looks[-1].result
    return None if not isinstance(last, CheckedLog) and last != looks[-2].result else last


def _look(
    log: LogFiles,
    check: Callable[[LogFiles, frozenset[str], LogListing], CheckedLog],
    identity: Callable[[str], object],
) -> _Look:
    """Check a log once.

    Raises:
        FileNotFoundError: If there is no such log.
    """
    names: frozenset[str] | None = None
    try:
        names = frozenset(log.names())
        listing = LogListing.of(names)
        first = {name: identity(name) for name in listing.needed[:1]}
        checked = check(log, names, listing)
        is_same = first == {name: identity(name) for name in first}
        return _Look(checked, names) if is_same else _changed()
    except _DamageFound as error:
        return _Look(error.damage, names)
    except _DoubtFound as error:
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


def damage_of_newest(log: LogReader, version: int) -> Damage | None:
    """Return the damage in the newest commit and its checksum, for a log that cannot be listed.

    Args:
        log: The files; only these two are read.
        version: The newest version.

    Raises:
        OSError: If they cannot be read.
    """
    name = commit_name(version)
    try:
        _check_checksum(log, version, {name: _actions(log, name, _BACKUP)})
    except _DamageFound as error:
        return error.damage
    except _DoubtFound:
        return None
    return None


def _check(log: LogFiles, names: frozenset[str], listing: LogListing) -> CheckedLog:
    if listing.misnamed:
        raise _DoubtFound(Doubt.of_name(listing.misnamed[0]))
    if listing.orphan is not None:
        # Delta writes a commit before its checksum.
        checksum, lost = checksum_name(listing.orphan), commit_name(listing.orphan)
        fact = f"{log.path} holds {checksum}, the checksum of a commit, and lacks the commit {lost}"
        raise _DamageFound(Damage(fact, f"{_BACKUP}; to continue without that commit, delete its checksum"))
    if listing.missing:
        missing = [commit_name(version) for version in listing.missing]
        more = f" and {listing.number_missing - len(missing)} more" if listing.number_missing > len(missing) else ""
        fact = f"{log.path} lacks {', '.join(missing)}{more}, and later commits are there"
        raise _DamageFound(Damage(fact, "restore them from a backup" if len(missing) > 1 else _BACKUP))
    commits, doubts = _read_commits(log, names, listing)
    _compare_merged(log, listing, commits)
    if listing.checkpoint < 0:
        for kind in ("metaData", "protocol"):
            if commits and not any(_in(actions, kind) for actions in commits.values()):
                raise _DamageFound(
                    Damage(f"no commit in {log.path} holds a {kind} action", "restore them from a backup")
                )
    stated = [(name, metadata) for name, actions in commits.items() for metadata in _in(actions, "metaData")]
    if stated and not stated[-1][1].get("schemaString"):
        raise _DamageFound(Damage(f"{log.path}/{stated[-1][0]} holds metadata without a schema", _BACKUP))
    hint = CheckpointHint.of(log.read(LAST_CHECKPOINT)) if LAST_CHECKPOINT in names else None
    without = f"delete it and {LAST_CHECKPOINT}, because all commits are there" if listing.has_all_commits else _BACKUP
    for name in listing.checkpoints.get(listing.checkpoint, ()):
        _check_checkpoint(log, name, hint if hint and hint.version == listing.checkpoint else None, without)
    newest = _check_checksum(log, listing.newest, commits) if listing.newest in listing.checksums else None
    if doubts:  # what is certainly damaged comes first
        raise _DoubtFound(doubts[0])
    return CheckedLog(listing, commits, newest)


def _read_commits(
    log: LogFiles, names: frozenset[str], listing: LogListing
) -> tuple[dict[str, list[dict[str, Any]]], list[Doubt]]:
    """Return the actions of the commits, and the commits that do not agree with Hadoop's checksums of them."""
    commits, doubts = {}, []
    for name in listing.needed:
        content, path, sums = log.read(name), f"{log.path}/{name}", hadoop_checksum_name(name)
        commits[name] = _parsed(content, path, _BACKUP)
        if sums in names and not agrees_with_hadoop(content, log.read(sums)):
            doubts.append(Doubt(f"{path} and its checksum {sums} do not agree", _BACKUP))
    return commits, doubts


def _compare_merged(log: LogFiles, listing: LogListing, commits: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Require files that hold several commits in one, which Spark reads in their place, to agree with them."""
    for name, (first, last) in listing.compacted.items():
        if name in commits:
            merged = (commit_name(version) for version in sorted(listing.commits) if first <= version <= last)
            actions = [action for commit in merged for action in commits.get(commit, ())]
            if any(_in(commits[name], kind)[-1:] != _in(actions, kind)[-1:] for kind in ("metaData", "protocol")):
                fact = f"{log.path}/{name} and the commits that it merges hold different metadata"
                raise _DoubtFound(Doubt(fact, "remove it: the commits are read then"))


def _check_and_complete(log: LogFiles, names: frozenset[str], listing: LogListing) -> CheckedLog:
    """Check a log, and read an older checksum if the newest version has none and its commits are not all of the log."""
    checked = _check(log, names, listing)
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
            commits[version] = checked.commits[name] if name in checked.commits else _actions(log, name, _BACKUP)
        known = {commit_name(version): actions for version, actions in commits.items() if version <= older}
        checksum = _check_checksum(log, older, known)
    except FileNotFoundError:
        raise
    except (OSError, _DamageFound, _DoubtFound):
        return None
    later = [actions for version, actions in commits.items() if version > older]
    return None if checksum is None else with_later_commits(checksum, [*known.values()], later)


def _actions(log: LogReader, name: str, remedy: str) -> list[dict[str, Any]]:
    """Return the actions of a commit, or of a checkpoint in JSON."""
    return _parsed(log.read(name), f"{log.path}/{name}", remedy)


def _parsed(content: bytes, path: str, remedy: str) -> list[dict[str, Any]]:
    try:
        return actions_in(content)
    except UncertainError as error:
        raise _DoubtFound(Doubt(f"{path} {error.fact}", remedy)) from None
    except CutOffError as error:
        raise _DamageFound(Damage(f"{path} {error.fact}", remedy)) from None


def _check_checkpoint(log: LogFiles, name: str, hint: CheckpointHint | None, remedy: str) -> None:
    if name.endswith(".json"):
        sidecars: Sequence[str] = sidecars_in(_actions(log, name, remedy))
    else:
        _check_parquet(log, name, remedy)
        sidecars = hint.sidecars if hint is not None else ()
    for sidecar in sidecars:
        try:
            _check_parquet(log, f"{SIDECARS}/{sidecar}", remedy)
        except FileNotFoundError:
            fact = f"{log.path}/{SIDECARS}/{sidecar} is not there, and {name} needs it"
            raise _DamageFound(Damage(fact, remedy)) from None


def _check_parquet(log: LogFiles, name: str, remedy: str) -> None:
    """Require a file to begin and end like parquet: the footer, its length, and the magic bytes."""
    size, head, tail = log.edges(name)
    footer = int.from_bytes(tail[:4], "little")
    if head != _MAGIC or tail[4:] != _MAGIC or not 0 < footer <= size - len(_MAGIC) - len(tail):
        raise _DamageFound(Damage(f"{log.path}/{name} is cut off or damaged: it has no parquet footer", remedy))


def _check_checksum(
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
        raise _DamageFound(Damage(f"{path} is the checksum of another commit", "delete it: the commits are read then"))
    stated = [metadata for actions in commits.values() for metadata in _in(actions, "metaData")]
    known = checksum.get("metadata")
    if isinstance(known, dict) and stated and _compared(known) != _compared(stated[-1]):
        fact = f"{path} and the commits of {log.path} hold different metadata"
        raise _DamageFound(
            Damage(fact, "restore the commits from a backup, or, if these are right, delete the checksum")
        )
    return checksum


def _compared(metadata: Mapping[str, Any]) -> list[Any]:
    return [metadata.get(key) or None for key in _COMPARED]


def _in(actions: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [action[kind] for action in actions if isinstance(action.get(kind), dict)]
