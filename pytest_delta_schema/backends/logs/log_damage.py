"""Find damage in a Delta log that fails readers of rows, and that readers of metadata may not notice.

Delta takes the metadata of the newest version from its checksum file, without reading the commit; readers skip empty
commits, as if they did not exist (Delta 4.4.0, deltalake 1.6.6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.backends.logs.log_checks import check_and_complete, check_checksum, checked_log
from pytest_delta_schema.backends.logs.log_findings import (
    BACKUP,
    CheckedLog,
    Damage,
    DamageFound,
    Doubt,
    DoubtFound,
    read_actions,
)
from pytest_delta_schema.backends.logs.second_look import read_until_settled
from pytest_delta_schema.delta.logs.log_listing import LogListing, commit_name
from pytest_delta_schema.diagnostics.errors import first_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.backends.logs.log_files import LocalFiles, LogFiles, LogReader


class _Look(NamedTuple):
    """The result of one check."""

    result: CheckedLog | Damage | Doubt | None
    """The files that were read, or what is wrong with them; ``None`` if files were deleted or replaced."""
    names: object = None


def damage_of(log: LogFiles) -> Damage | None:
    """Return the damage in the files that a reader of the newest version needs; ``None`` if none is certain.

    Damage is certain if two checks in a row, each with its own listing, find it. A log that does not exist has none.
    """
    checked = inspect_log(log)
    return checked if isinstance(checked, Damage) else None


def inspect_log(log: LogFiles) -> CheckedLog | Damage | Doubt | None:
    """Read what a reader of the newest version needs, like :func:`check_log`, of a log in any file system.

    An older checksum is not read. The result is ``None`` if there is no such log, or it has changed each time.
    """
    try:
        return _settled(lambda: _look(log, checked_log, lambda _: None))
    except FileNotFoundError:
        return None


def check_log(log: LocalFiles) -> CheckedLog | Damage | Doubt | None:
    """Read the files that a reader of the newest version needs, and return them, their damage, or what is odd in them.

    These are the commits since the newest checkpoint, that checkpoint, ``_last_checkpoint``, and the checksum, or an
    older one with the commits after it. Of a checkpoint in parquet only the first and last bytes are read. All files
    are of one table. The result is ``None`` if the log has changed each time, so neither is certain.

    Raises:
        FileNotFoundError: If there is no such log.
    """
    return _settled(lambda: _look(log, check_and_complete, log.identity))


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


def damage_of_newest(log: LogReader, version: int) -> Damage | None:
    """Return the damage in the newest commit and its checksum, for a log that cannot be listed.

    Only these two files are read.

    Raises:
        OSError: If they cannot be read.
    """
    name = commit_name(version)
    try:
        check_checksum(log, version, {name: read_actions(log, name, BACKUP)})
    except DamageFound as error:
        return error.damage
    except DoubtFound:
        return None
    return None
