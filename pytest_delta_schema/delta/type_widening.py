"""Type widening: which changes of a type need no rewrite, by the version of Delta."""

from __future__ import annotations

import re
from enum import Enum

from pytest_delta_schema.delta.spark_pairs import NEWEST

SIZED = re.compile(r"(decimal|char|varchar)\((\d+)(?:,(\d+))?\)")
"""A type with arguments: its kind, and its length, or its precision and scale."""

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_DIGITS = {"tinyint": 10, "smallint": 10, "int": 10, "bigint": 20}
"""Digits that a decimal needs before the decimal point to hold the type, as Delta counts them."""

_FIRST = {("tinyint", "smallint"), ("tinyint", "int"), ("smallint", "int")}
"""The changes that Delta 3 supports."""


class Widening(Enum):
    """The requirements of a change of type."""

    ALWAYS = "nothing"
    BY_FEATURE = "type widening"


def widening(before: object, after: object, version: tuple[int, int] = NEWEST) -> Widening | None:
    """Return what a change of type needs if Delta makes it without a rewrite.

    Tested with Delta 3.3.3, 4.0.1, 4.1.0 and 4.4.0; the last three agree.

    Types are in canonical form; nested ones are never widened as a whole. The version is Delta's, major and minor. The
    result is ``None`` if Delta refuses the change.
    """
    if not isinstance(before, str) or not isinstance(after, str) or before == after:
        return None
    old, new = SIZED.fullmatch(before), SIZED.fullmatch(after)
    if old and old[1] != "decimal":
        longer = new[1] == "varchar" and int(new[2]) >= int(old[2]) if new else after == "string"
        return Widening.ALWAYS if longer else None
    if version < (4, 0):
        return Widening.BY_FEATURE if (before, after) in _FIRST else None
    return Widening.BY_FEATURE if _widens(before, after) else None


def widens_in_iceberg(before: object, after: object) -> bool:
    """Whether Iceberg widens a type as well: integers to integers, ``float`` to ``double``, decimals of one scale.

    Delta refuses all others on tables with Iceberg metadata (``UNSUPPORTED_TYPE_WIDENING``, Delta 4.4.0).
    """
    if after in _INTEGERS or (before, after) == ("float", "double"):
        return True
    old, new = (SIZED.fullmatch(str(data_type)) for data_type in (before, after))
    return old is not None and new is not None and old[3] == new[3]


def _widens(before: str, after: str) -> bool:
    if before in _INTEGERS and after in _INTEGERS:
        return _INTEGERS.index(before) < _INTEGERS.index(after)
    if (before, after) == ("date", "timestamp_ntz"):
        return True
    if after == "double":
        return before in ("tinyint", "smallint", "int", "float")
    new = SIZED.fullmatch(after)
    return new is not None and new[1] == "decimal" and _fits_decimal(before, int(new[2]), int(new[3]))


def _fits_decimal(before: str, precision: int, scale: int) -> bool:
    if before in _DIGITS:
        return precision - scale >= _DIGITS[before]
    old = SIZED.fullmatch(before)
    return old is not None and precision - int(old[2]) >= scale - int(old[3]) >= 0
