"""Read the actions in a commit, or in a checkpoint in JSON, and compare a file with Hadoop's checksum of it."""

from __future__ import annotations

from json import JSONDecoder
from typing import Any
from zlib import crc32

from pytest_delta_schema.delta.logs.action_kinds import value_of_another_kind

_HEADER = b"crc\0"
"""The beginning of Hadoop's checksum files; the size of a block and the CRC-32 of each block follow (Hadoop 3.5.0)."""

_WORD = 4


class CutOffError(Exception):
    """A file that no reader reads."""

    def __init__(self, fact: str) -> None:
        self.fact = fact
        super().__init__(fact)


class UncertainError(CutOffError):
    """A file of which only Spark can tell whether Spark reads it, and what it shows then."""


def actions_in(content: bytes) -> list[dict[str, Any]]:
    """Return the actions in a file, one in each line.

    Raises:
        CutOffError: If there are none, or a line holds no object.
        UncertainError: If a line holds an object and more, one that is not quite JSON, or values of other kinds.
    """
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
