"""The files of a Delta log: how they are reached, what one of them holds, and what may be wrong with a log."""

from __future__ import annotations

import os
import re
from json import JSONDecoder
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, NamedTuple, Protocol
from urllib.parse import urlsplit
from urllib.request import url2pathname
from zlib import crc32

from pytest_delta_schema.backends.problems import WRITE_AGAIN, is_damaged, problem
from pytest_delta_schema.delta.log_files import value_of_another_kind
from pytest_delta_schema.diagnostics.errors import first_line
from pytest_delta_schema.diagnostics.faults import DamagedTable, UnreadableTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.models.names import QualifiedName


class Stamp(NamedTuple):
    """What differs between two files that have one name after each other.

    Args:
        modified: When it was last changed, in nanoseconds since 1970.
        size: Its size in bytes.
        node: The number that its file system gives to it; 0 if it gives none.
    """

    modified: int
    size: int
    node: int = 0


class LogFiles(Protocol):
    """The files of one ``_delta_log`` folder: what the author of a store implements for :class:`DeltaLog`.

    Names are those of files in the folder, or of files in its folder ``_sidecars``. A file or folder that is not there
    raises a ``FileNotFoundError``, and whatever else fails an ``OSError`` whose text holds no secret. Nothing is kept
    from one call to the next but the connection: logs are listed and read again after a fault.
    """

    @property
    def path(self) -> str:
        """The folder, for messages, without secrets."""
        ...

    def names(self) -> Iterable[str]:
        """Return the names of the files in the folder, in any order."""
        ...

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading, from any position."""
        ...

    def stamp(self, name: str) -> Stamp:
        """Return the stamp of a file, which differs if the file is replaced."""
        ...


LOG = "_delta_log"
"""The name of the folder of a log, in that of its table."""


class LocalFiles:
    """The files of the Delta log of a table in a local folder; see :class:`LogFiles`.

    Args:
        table: The folder of the table, which has the folder ``_delta_log``.
    """

    def __init__(self, table: str) -> None:
        self.path = os.path.join(table, LOG)  # noqa: PTH118 - hundreds of logs are read, and paths cost time

    def names(self) -> Iterable[str]:
        """Return the names of the files in the folder."""
        return os.listdir(self.path)  # noqa: PTH208 - as above

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        return open(f"{self.path}/{name}", "rb", buffering=0)  # noqa: PTH123 - as above, also the buffer

    def stamp(self, name: str) -> Stamp:
        """Return the stamp of a file, which differs if the file is replaced."""
        status = os.stat(f"{self.path}/{name}")  # noqa: PTH116 - as above
        return Stamp(status.st_mtime_ns, status.st_size, status.st_ino)


_TABLE_FILES = re.compile(r"[0-9]+\.(json|checkpoint\.([^/]+\.)?(parquet|json))")
"""The names of files that make a folder a Delta table; ``Remains.java`` has the same."""


def table_files(log: LogFiles) -> list[str]:
    """Return the names of the commits and checkpoints of a log; none if there is no log."""
    try:
        return [name for name in log.names() if _TABLE_FILES.fullmatch(name)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def content_of(files: LogFiles, name: str) -> bytes:
    """Return the content of a file."""
    with files.open(name) as file:
        return file.read()


_DECORATION = re.compile(r"\x1b\[[0-9;]*m|\u21b3| in [0-9.]+(?:ns|\xb5s|ms|s)\b")
"""Colours, arrows and durations in the errors of deltalake: two errors of one cause have different durations."""

_ANSWER = re.compile(r"<\?xml.*?<Code>(?P<code>[^<]*)</Code>\s*<Message>(?P<message>[^<\n]*).*", re.DOTALL)
"""The answer of a store, in the form of S3 and of Azure."""


def cause_of(error: Exception) -> str:
    """Return the text of an error in one line; those of deltalake have a line for each cause."""
    text = _ANSWER.sub(r"\g<code>, \g<message>", _DECORATION.sub("", str(error)))
    return first_line(OSError(": ".join(filter(None, map(str.strip, text.splitlines())))))


class Edges(NamedTuple):
    """The size of a file in bytes, its first four and its last eight bytes."""

    size: int
    head: bytes
    tail: bytes


def edges_of(files: LogFiles, name: str) -> Edges:
    """Return the first and last bytes of a file, which may be large."""
    with files.open(name) as file:
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

AGAIN = "read it again when the jobs that change it have ended"
"""What to do about a log that is never the same twice."""


class LogFault(Exception):  # noqa: N818 - the fault of a table, not of this program
    """What is wrong with a log. Two faults of one kind that say the same are equal."""

    says = "its Delta log cannot be read ({})"
    """The message, with a place for the fact."""
    fault: type[HasCode] = UnreadableTable
    """The class of the fault."""
    is_certain: ClassVar[bool] = True
    """Whether Spark certainly reads the log neither."""

    def __init__(self, fact: str, remedy: str) -> None:
        super().__init__(fact, remedy)
        self.fact = fact
        self.remedy = remedy

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.args == other.args

    def __hash__(self) -> int:
        return hash(self.args)

    @property
    def message(self) -> str:
        """The message for the table that has this log."""
        return self.says.format(self.fact)

    def of(self, table: QualifiedName) -> Diagnostic:
        """Return the problem of the table that has this log."""
        return problem(self.fault, table, self.message, self.remedy)


class UnreadLog(LogFault):
    """Files of a log that are there cannot be read."""


class DamagedLog(LogFault):
    """Files of a log are damaged or missing."""

    says = "its Delta log is damaged ({})"
    fault = DamagedTable


class LostLog(LogFault):
    """There is no log."""

    says = "its Delta log is gone ({})"
    fault = DamagedTable
    is_certain = False

    def __init__(self, path: str) -> None:
        super().__init__(path, "restore it from a backup, or drop the table from its catalog")
        self.args = (path,)


class DoubtfulLog(LogFault):
    """A part of a log of which only Spark can tell whether it reads it."""

    says = "its Delta log may be damaged ({})"
    is_certain = False


class ChangingLog(LogFault):
    """A log was changed while it was read; no other fault equals this one."""

    is_certain = False

    def __init__(self) -> None:
        super().__init__("it changes while it is read", AGAIN)
        self.args = ()

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class MissingVersion(LogFault):
    """A version of a log that its files do not show any more."""

    says = "{}"
    is_certain = False


class UnreadCheckpoint(LogFault):
    """Only a checkpoint in parquet shows the newest version, and nothing reads it here."""

    is_certain = False


class MalformedActions(LogFault):
    """Actions of a log that cannot be understood."""

    is_certain = False

    def __init__(self, error: Exception) -> None:
        super().__init__(repr(error), WRITE_AGAIN)
        self._error = error

    def of(self, table: QualifiedName) -> Diagnostic:
        """Return the problem of the table that has this log."""
        return is_damaged(table, self._error)


def actions_in(content: bytes, path: str, remedy: str = BACKUP) -> list[dict[str, Any]]:
    """Return the actions in a file, one in each line."""
    lines = content.splitlines()
    if not any(line.strip() for line in lines):
        fact = f"{path} is empty"
        raise DamagedLog(fact, remedy)
    actions = []
    for number, line in enumerate(lines, 1):
        if line.strip(b" \t"):
            action, place = json_of(line), f"in line {number} of {len(lines)}"
            if not isinstance(action, dict):
                if _is_nearly_json(line):
                    fact = f"{path} is not plain JSON {place}"
                    raise DoubtfulLog(fact, remedy)
                fact = f"{path} is cut off or damaged {place}"
                raise DamagedLog(fact, remedy)
            odd = value_of_another_kind(action)
            if odd:
                fact = f"{path} has an odd {odd} {place}"
                raise DoubtfulLog(fact, remedy)
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
