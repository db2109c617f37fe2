"""The files of a Delta log: how they are read, what is in them, and what may be wrong with them."""

from __future__ import annotations

import os
from json import JSONDecoder
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit
from urllib.request import url2pathname
from zlib import crc32

from pytest_delta_schema.backends.problems import problem
from pytest_delta_schema.delta.log_files import value_of_another_kind
from pytest_delta_schema.diagnostics.faults import DamagedTable, UnreadableTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.delta.log_files import LogListing
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName


class Edges(NamedTuple):
    """The length of a file in bytes, its first four and its last eight bytes."""

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
        """Return the content of a file."""
        ...


class ListedLog(LogReader, Protocol):
    """Lists and reads the files of one ``_delta_log`` folder, local or remote."""

    def names(self) -> Iterable[str]:
        """Return the names of the files in it, in any order."""
        ...


class LogFiles(ListedLog, Protocol):
    """Also reads parts of files."""

    def edges(self, name: str) -> Edges:
        """Return the first and last bytes of a file, which may be large."""
        ...


class LocalFiles(LogFiles, Protocol):
    """Also tells files apart that have one name after each other."""

    def identity(self, name: str) -> object:
        """Return a value that differs if a file is replaced."""
        ...


class LocalLog:
    """Reads the files of the Delta log of a table in a local folder.

    Args:
        table: The folder of the table, which has the folder ``_delta_log``.
    """

    def __init__(self, table: str) -> None:
        self.path = os.path.join(table, "_delta_log")  # noqa: PTH118 - hundreds of logs are read, and paths cost time

    def names(self) -> Iterable[str]:
        """Return the names of the files in the log."""
        return os.listdir(self.path)  # noqa: PTH208 - as above

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with open(f"{self.path}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - as above, also the buffer
            return file.readall()

    def modified(self, name: str) -> int:
        """Return when a file was last changed, in milliseconds since 1970."""
        return os.stat(f"{self.path}/{name}").st_mtime_ns // 1_000_000  # noqa: PTH116 - as above

    def identity(self, name: str) -> object:
        """Return a value that differs if a file is replaced."""
        status = os.stat(f"{self.path}/{name}")  # noqa: PTH116 - as above
        return status.st_ino, status.st_mtime_ns, status.st_size

    def edges(self, name: str) -> Edges:
        """Return the first and last bytes of a file."""
        with open(f"{self.path}/{name}", "rb") as file:  # noqa: PTH123 - as above
            head = file.read(4)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 8, 0))
            return Edges(size, head, file.read())


def local_folder(location: str) -> str | None:
    """Return the local folder of a location; ``None`` if it is remote.

    The location is a path, or a URI with its special characters quoted.
    """
    if location.startswith("/"):
        return location
    parts = urlsplit(location)
    return url2pathname(parts.path) if parts.scheme == "file" and not parts.netloc else None


BACKUP = "restore it from a backup"
"""What to do about a file that cannot be had otherwise."""


class Damage(NamedTuple):
    """Damage of a log."""

    fact: str
    """The file, and what is wrong with it."""
    remedy: str
    is_seen: bool = True
    """Whether the files were read and are damaged; otherwise they could not be read."""

    def of(self, table: QualifiedName) -> Diagnostic:
        """Return the problem of the table that has this log."""
        fault = DamagedTable if self.is_seen else UnreadableTable
        return problem(fault, table, self.message, self.remedy)

    @property
    def message(self) -> str:
        """The message for the table that has this log."""
        return f"its Delta log {'is damaged' if self.is_seen else 'cannot be read'} ({self.fact})"


class CheckedLog(NamedTuple):
    """A log without damage, with the files that were read to check it."""

    listing: LogListing
    commits: Mapping[str, Sequence[Mapping[str, Any]]]
    """The actions of the commits that a reader opens, by the names of their files."""
    checksum: Mapping[str, Any] | None
    """The checksum of the newest version, or what it would hold by an older one and the commits after that; ``None`` if
    there is neither."""


class Doubt(NamedTuple):
    """A part of a log of which only Spark can tell whether it reads it."""

    fact: str
    remedy: str

    @classmethod
    def of_name(cls, name: str) -> Doubt:
        """Return what is odd in the name of a file."""
        fact = f"the number in the name of {name} does not have 20 digits or is too large, and Spark may read that file"
        return cls(fact, "remove it, or give it its name back")


class DoubtFound(Exception):  # noqa: N818 - carries the answer out of the checks
    """Ends the checks of a log with a doubt."""

    def __init__(self, doubt: Doubt) -> None:
        self.doubt = doubt
        super().__init__(doubt.fact)


class DamageFound(Exception):  # noqa: N818 - carries the answer out of the checks
    """Ends the checks of a log with damage."""

    def __init__(self, damage: Damage) -> None:
        self.damage = damage
        super().__init__(damage.fact)


def read_actions(log: LogReader, name: str, remedy: str) -> list[dict[str, Any]]:
    """Return the actions in a commit, or in a checkpoint in JSON."""
    return parsed_actions(log.read(name), f"{log.path}/{name}", remedy)


def parsed_actions(content: bytes, path: str, remedy: str) -> list[dict[str, Any]]:
    """Return the actions in a file that has been read; see :func:`read_actions`."""
    try:
        return actions_in(content)
    except UncertainError as error:
        raise DoubtFound(Doubt(f"{path} {error.fact}", remedy)) from None
    except CutOffError as error:
        raise DamageFound(Damage(f"{path} {error.fact}", remedy)) from None


class CutOffError(Exception):
    """A file that no reader reads."""

    def __init__(self, fact: str) -> None:
        self.fact = fact
        super().__init__(fact)


class UncertainError(CutOffError):
    """A file of which only Spark can tell whether Spark reads it, and what it shows then."""


def actions_in(content: bytes) -> list[dict[str, Any]]:
    """Return the actions in a file, one in each line."""
    lines = content.splitlines()
    if not any(line.strip() for line in lines):
        msg = "is empty"
        raise CutOffError(msg)
    actions = []
    for number, line in enumerate(lines, 1):
        if line.strip(b" \t"):
            action, fact = json_of(line), f"in line {number} of {len(lines)}"
            if not isinstance(action, dict):
                if _is_nearly_json(line):
                    msg = f"is not plain JSON {fact}"
                    raise UncertainError(msg)
                msg = f"is cut off or damaged {fact}"
                raise CutOffError(msg)
            odd = value_of_another_kind(action)
            if odd:
                msg = f"has an odd {odd} {fact}"
                raise UncertainError(msg)
            actions.append(action)
    return actions


def json_of(content: bytes) -> Any:
    """Return the parsed content; ``None`` if it is not JSON."""
    try:
        return _STRICT.decode(content.decode("utf-8"))
    except (ValueError, RecursionError):
        return None


def _refuse_constant(name: str) -> None:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


_STRICT = JSONDecoder(parse_constant=_refuse_constant)
_LENIENT = JSONDecoder(strict=False)


def _is_nearly_json(line: bytes) -> bool:
    """Whether a line begins with an object, or a list, behind a byte order mark or blanks; it may hold NaN."""
    try:
        value, _ = _LENIENT.raw_decode(line.decode("utf-8", "replace").lstrip("\ufeff").lstrip())
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) or (isinstance(value, list) and value != [])


_HEADER = b"crc\0"
"""The beginning of Hadoop's checksum files; the size of a block and the CRC-32 of each block follow (Hadoop 3.5.0)."""

_WORD = 4


def hadoop_checksum_name(name: str) -> str:
    """Return the name of the file in which Hadoop keeps the checksum of a local file."""
    return f".{name}.crc"


def agrees_with_hadoop(content: bytes, checksum: bytes) -> bool:
    """Whether Hadoop's checksum of a file fits its content, so Spark reads the file."""
    block = int.from_bytes(checksum[_WORD : 2 * _WORD], "big", signed=True)
    if not checksum.startswith(_HEADER) or block <= 0:
        return False
    sums = (crc32(content[start : start + block]) for start in range(0, len(content), block))
    return checksum[2 * _WORD :] == b"".join(value.to_bytes(_WORD, "big") for value in sums)
