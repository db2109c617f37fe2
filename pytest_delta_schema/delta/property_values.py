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
_NAME = re.compile(r"(?:`[^`]*`|[^,`])+")

_SECONDS = {
    "week": 7 * 24 * 3600.0,
    "day": 24 * 3600.0,
    "hour": 3600.0,
    "minute": 60.0,
    "second": 1.0,
    "millisecond": 0.001,
    "microsecond": 0.000001,
}
_AMOUNT = r"[0-9]+\s+[a-z]+"
_INTERVAL = re.compile(rf"(?:interval\s+)?({_AMOUNT}(?:\s+{_AMOUNT})*)", re.IGNORECASE)
_AMOUNTS = re.compile(r"([0-9]+)\s+([a-z]+)")


def equal_values(key: str, wanted: str, stored: str | None) -> bool:
    """Whether two values of a property mean the same to Delta (4.4.0).

    Values of Delta's own keys are compared as booleans, intervals, numbers, words and lists of columns, where both
    sides can be read so. A protocol version is reached when it is exceeded, because Delta never lowers one. All other
    values are compared as text.

    Args:
        key: The property, in any case.
        wanted: The declared value.
        stored: The stored value; ``None`` for none.
    """
    if wanted == stored:
        return True
    name = folded(key)
    if stored is None or not name.startswith("delta."):
        return False
    if name in PROTOCOL_VERSIONS:
        least, actual = _number(wanted), _number(stored)
        return least is not None and actual is not None and actual >= least
    read = _reader(name)
    value = read(wanted)
    return value is not None and value == read(stored)


def _reader(name: str) -> Callable[[str], object]:
    """Return the function that reads the values of a property; it returns ``None`` for what is no value."""
    if name in _NUMBERS:
        return _number
    if name in _WORDS:
        return str.lower
    return _columns if name in _LISTS_OF_COLUMNS else _boolean_or_seconds


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


def _columns(text: str) -> list[str]:
    return [folded(name.strip()) for name in _NAME.findall(text)]


def _boolean_or_seconds(text: str) -> tuple[str, object] | None:
    if text.lower() in {"true", "false"}:
        return "boolean", text.lower()
    seconds = _seconds(text)
    return None if seconds is None else ("seconds", seconds)


def _seconds(text: str) -> float | None:
    match = _INTERVAL.fullmatch(text.strip())
    if match is None:
        return None
    total = 0.0
    for amount, unit in _AMOUNTS.findall(match.group(1).lower()):
        size = _SECONDS.get(unit.removesuffix("s"))
        if size is None:
            return None
        total += int(amount) * size
    return round(total, 6)
