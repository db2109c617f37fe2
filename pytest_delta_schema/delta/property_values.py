"""Values of Delta's table properties that are written in several ways and mean the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import MAPPING_PROPERTY, PROTOCOL_VERSIONS
from pytest_delta_schema.delta.names.folded_names import NameSet, folded

if TYPE_CHECKING:
    from collections.abc import Callable

_NUMBERS = NameSet(
    (
        "delta.checkpointInterval",
        "delta.dataSkippingNumIndexedCols",
        "delta.dataSkippingStringPrefixLength",
        "delta.randomPrefixLength",
    )
)
_WORDS = NameSet(("delta.isolationLevel", MAPPING_PROPERTY))
_LISTS_OF_COLUMNS = NameSet(("delta.dataSkippingStatsColumns",))

_NUMBER = re.compile(r"[+-]?[0-9]+")
_QUOTED = r"`(?:[^`]|``)*`"
_PART = rf"\s*(?:{_QUOTED}|[^.,`\s](?:[^.,`]*[^.,`\s])?)\s*"
_PATH = rf"{_PART}(?:\.{_PART})*"
_LIST = re.compile(rf"{_PATH}(?:,{_PATH})*")
_NAMES = re.compile(rf"({_QUOTED})|([^.,`]+)|([.,])")

_MICROSECONDS = {
    "week": 7 * 24 * 3_600_000_000,
    "day": 24 * 3_600_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1000,
    "microsecond": 1,
}
_AMOUNT = r"[+-]?[0-9]+(?:\.[0-9]{1,9}(?=\s+seconds?\b))?\s+[a-z]+"
_INTERVAL = re.compile(rf"(?:interval \s*)?({_AMOUNT}(?:\s+{_AMOUNT})*)")
_AMOUNTS = re.compile(r"([+-]?)([0-9]+)\.?([0-9]*)\s+([a-z]+)")


def equal_values(key: str, wanted: str, stored: str | None) -> bool:
    """Whether two values of a property mean the same to Delta (4.4.0).

    Values of Delta's own keys are compared as booleans, intervals, numbers, words and lists of columns, where both
    sides can be read so. A protocol version is reached when it is exceeded, because Delta never lowers one; a version
    that only lets the protocol name its features is always reached, because Delta lowers it to what the features need.
    All other values are compared as text.
    """
    if wanted == stored:
        return True
    name = folded(key)
    if stored is None or not name.startswith("delta."):
        return False
    if name in PROTOCOL_VERSIONS:
        least, actual = _number(wanted), _number(stored)
        return least is not None and actual is not None and (actual >= least or least == PROTOCOL_VERSIONS[name])
    read = _reader(name)
    value = read(wanted)
    return value is not None and value == read(stored)


def _reader(name: str) -> Callable[[str], object]:
    """Return the function that reads the values of a property; it returns ``None`` for anything that is not a value."""
    if name in _NUMBERS:
        return _number
    if name in _WORDS:
        return str.lower
    return _columns if name in _LISTS_OF_COLUMNS else _boolean_or_interval


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


def _columns(text: str) -> list[list[str]] | None:
    """Return the paths of columns in a list; ``None`` for a malformed one."""
    if _LIST.fullmatch(text) is None:
        return None
    paths: list[list[str]] = [[]]
    for quoted, bare, separator in _NAMES.findall(text):
        if separator == ",":
            paths.append([])
        elif quoted:
            paths[-1].append(folded(quoted[1:-1].replace("``", "`")))
        elif bare.strip():
            paths[-1].append(folded(bare.strip()))
    return paths


def _boolean_or_interval(text: str) -> tuple[str, object] | None:
    if text.lower() in {"true", "false"}:
        return "boolean", text.lower()
    length = milliseconds(text)
    return None if length is None else ("milliseconds", length)


def milliseconds(text: str) -> int | None:
    """Return the length of an interval as Delta uses it; it refuses quoted amounts, months and negative intervals."""
    match = _INTERVAL.fullmatch(text.strip().lower())
    if match is None:
        return None
    total = 0
    for sign, amount, fraction, unit in _AMOUNTS.findall(match.group(1)):
        size = _MICROSECONDS.get(unit.removesuffix("s"))
        if size is None:
            return None
        microseconds = int(amount) * size + int(fraction.ljust(6, "0")[:6])
        total += -microseconds if sign == "-" else microseconds
    return total // 1000 if total >= 0 else None
