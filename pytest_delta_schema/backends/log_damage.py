"""Find damage in a Delta log that fails readers of rows, and that readers of metadata may not notice.

Delta takes the metadata of the newest version from its checksum file, without reading the commit; readers skip empty
commits, as if they did not exist (Delta 4.4.0, deltalake 1.6.6).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pytest_delta_schema.backends.problems import problem
from pytest_delta_schema.delta.log_listing import (
    LAST_CHECKPOINT,
    SIDECARS,
    CheckpointHint,
    LogListing,
    checksum_name,
    commit_name,
    sidecars_in,
)
from pytest_delta_schema.errors import because
from pytest_delta_schema.faults import DamagedTable, UnreadableTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName

_MAGIC = b"PAR1"
_SHOWN = 5
_BACKUP = "restore it from a backup"
_COMPARED = ("schemaString", "partitionColumns", "configuration", "description")
"""The fields in which the metadata of a checksum must equal the newest metadata in the commits."""


class Edges(NamedTuple):
    """The first and last bytes of a file.

    Args:
        size: Its length in bytes.
        head: Its first four bytes.
        tail: Its last eight bytes.
    """

    size: int
    head: bytes
    tail: bytes


class LogReader(Protocol):
    """Reads files of one ``_delta_log`` folder by their names."""

    @property
    def path(self) -> str:
        """The folder, for messages."""
        ...

    def read(self, name: str) -> bytes:
        """Return the content of a file.

        Raises:
            OSError: If it cannot be read; ``FileNotFoundError`` if it is not there.
        """
        ...


class LogFiles(LogReader, Protocol):
    """Lists and reads the files of one ``_delta_log`` folder, local or remote."""

    def names(self) -> Iterable[str]:
        """Return the names of the files in it, in any order.

        Raises:
            OSError: If it cannot be listed.
        """
        ...

    def edges(self, name: str) -> Edges:
        """Return the first and last bytes of a file, which may be large.

        Raises:
            OSError: If it cannot be read; ``FileNotFoundError`` if it is not there.
        """
        ...


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
        checksum: The checksum of the newest version; ``None`` if there is none, or it is not JSON.
    """

    listing: LogListing
    commits: Mapping[str, Sequence[Mapping[str, Any]]]
    checksum: Mapping[str, Any] | None


class _DamageFound(Exception):  # noqa: N818 - carries the answer out of the checks
    def __init__(self, damage: Damage) -> None:
        self.damage = damage
        super().__init__(damage.fact)


def damage_of(log: LogFiles) -> Damage | None:
    """Return the damage in the files that a reader of the newest version needs; ``None`` if there is none.

    Args:
        log: The files.
    """
    checked = check_log(log)
    return checked if isinstance(checked, Damage) else None


def check_log(log: LogFiles) -> CheckedLog | Damage:
    """Read the files that a reader of the newest version needs, and return them, or their damage.

    These are the commits since the newest checkpoint, that checkpoint, ``_last_checkpoint``, and the checksum. Of a
    checkpoint in parquet only the first and last bytes are read.

    Args:
        log: The files.
    """
    try:
        try:
            return _check(log)
        except FileNotFoundError:
            # Delta removes old files at any time; a second listing does not have them.
            return _check(log)
    except _DamageFound as error:
        return error.damage
    except OSError as error:
        remedy = "give the permission to read it, or restore it from a backup"
        return Damage(f"{log.path}: {because(error)}", remedy, is_seen=False)


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
    return None


def _check(log: LogFiles) -> CheckedLog:
    names = set(log.names())
    listing = LogListing.of(names)
    if listing.orphan is not None:
        _require_commit(log, listing.orphan)
    if listing.missing:
        missing = [commit_name(version) for version in listing.missing]
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        fact = f"{log.path} lacks {', '.join(missing[:_SHOWN])}{more}, and later commits are there"
        raise _DamageFound(Damage(fact, "restore them from a backup" if len(missing) > 1 else _BACKUP))
    commits = {name: _actions(log, name, _BACKUP) for name in listing.needed}
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
    if hint is not None and hint.version not in listing.checkpoints:
        fact = f"{log.path}/{LAST_CHECKPOINT} names the checkpoint of version {hint.version}, which is not there"
        raise _DamageFound(Damage(fact, f"restore that checkpoint from a backup, or delete {LAST_CHECKPOINT}"))
    for name in listing.checkpoints.get(listing.checkpoint, ()):
        _check_checkpoint(log, name, hint if hint and hint.version == listing.checkpoint else None, without)
    checksum = _check_checksum(log, listing.newest, commits) if listing.newest in listing.checksums else None
    return CheckedLog(listing, commits, checksum)


def _require_commit(log: LogFiles, version: int) -> None:
    """Require the commit of a checksum to exist, because Delta writes it before the checksum."""
    name = commit_name(version)
    if name not in set(log.names()):
        fact = f"{log.path} holds {checksum_name(version)}, the checksum of a commit, and lacks the commit {name}"
        raise _DamageFound(Damage(fact, f"{_BACKUP}; to continue without that commit, delete its checksum"))


def _actions(log: LogReader, name: str, remedy: str) -> list[dict[str, Any]]:
    """Return the actions of a commit, or of a checkpoint in JSON."""
    path = f"{log.path}/{name}"
    lines = log.read(name).splitlines()
    if not any(line.strip() for line in lines):
        raise _DamageFound(Damage(f"{path} is empty", remedy))
    actions = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            action = _json(line)
            if not isinstance(action, dict):
                raise _DamageFound(Damage(f"{path} is cut off or damaged in line {number} of {len(lines)}", remedy))
            actions.append(action)
    return actions


def _json(content: bytes) -> Any:
    """Return the parsed content; ``None`` if it is not JSON."""
    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        return None


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
    """Require a checksum, which readers use in place of the commits, to agree with them, and return it.

    One that is not JSON is ignored, as readers do.
    """
    checksum = _json(log.read(checksum_name(version)))
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
