"""The casts that Spark has between types: those of ``CAST`` in ANSI mode, and those that it adds by itself.

Measured on Spark 4.2.0, every type against every other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.type_widening import SIZED
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, children, plain

if TYPE_CHECKING:
    from pytest_delta_schema.state.types import DataTypeState

_MOST_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19, "timestamp": 13}
_INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})
_NUMBERS = _INTEGERS | {"float", "double", "decimal"}
_DAYS = frozenset({"date", "timestamp", "timestamp_ntz"})
_SPANS = frozenset({"interval"})
_ANY = _NUMBERS | _DAYS | {"boolean", "string", "binary", "variant"}

_CASTS: dict[str, frozenset[str]] = {
    "boolean": _NUMBERS | {"string", "variant"},
    "binary": frozenset({"string", "variant"}),
    "date": _DAYS | {"string", "variant"},
    "timestamp": _NUMBERS | _DAYS | {"string", "variant"},
    "timestamp_ntz": _DAYS | {"string", "variant"},
    "string": _ANY | _SPANS,
    "variant": _ANY | {"array", "struct", "map"},
    "interval": _INTEGERS | {"decimal", "string"},
    "void": _ANY | {"array", "struct", "map", "interval"},
    "array": frozenset({"string", "variant"}),
    "struct": frozenset({"string"}),
    "map": frozenset({"string"}),
    **dict.fromkeys(_INTEGERS | {"decimal"}, _NUMBERS | _SPANS | {"boolean", "string", "timestamp", "variant"}),
    **dict.fromkeys(("float", "double"), _NUMBERS | {"boolean", "string", "timestamp", "variant"}),
}
"""The families of types that Spark casts each family to."""

_COERCES: dict[str, frozenset[str]] = {
    "boolean": frozenset({"string"}),
    "binary": frozenset({"string"}),
    "string": _NUMBERS | _DAYS | {"binary"},
    **dict.fromkeys(_DAYS, _DAYS | {"string"}),
    **dict.fromkeys(_NUMBERS, _NUMBERS | {"string"}),
}
"""The same for streams and for the types that a MERGE evolves, which follow the rules of Spark expressions."""


@lru_cache(maxsize=4096)
def is_castable(given: DataTypeState, wanted: DataTypeState) -> bool:
    """Whether Spark has a cast from one type to another; single values may still fail."""
    if given == wanted:
        return True
    if isinstance(given, StructState) and isinstance(wanted, StructState):
        pairs = zip(given.fields, wanted.fields, strict=False)
        same_length = len(given.fields) == len(wanted.fields)
        return same_length and all(
            is_castable(left.data_type, right.data_type) and (right.is_nullable or not left.is_nullable)
            for left, right in pairs
        )
    if isinstance(given, ArrayState) and isinstance(wanted, ArrayState):
        return is_castable(given.element, wanted.element) and (wanted.contains_null or not given.contains_null)
    if isinstance(given, MapState) and isinstance(wanted, MapState):
        keeps_null = wanted.value_contains_null or not given.value_contains_null
        return is_castable(given.key, wanted.key) and is_castable(given.value, wanted.value) and keeps_null
    source, target = _family(given), _family(wanted)
    return source == target or target in _CASTS.get(source, ())


def _family(data_type: DataTypeState) -> str:
    if isinstance(data_type, StructState):
        return "struct"
    if isinstance(data_type, ArrayState):
        return "array"
    if isinstance(data_type, MapState):
        return "map"
    return str(plain(data_type)).partition("(")[0].partition(" ")[0]


@lru_cache(maxsize=4096)
def may_fail(given: DataTypeState, wanted: DataTypeState) -> bool:
    """Whether Spark casts one type to another and refuses some of its values: other texts than numbers, overflows."""
    if given == wanted:
        return False
    parts = list(zip(children(given), children(wanted), strict=False))
    if parts:
        return any(may_fail(left.data_type, right.data_type) for left, right in parts)
    source, target = _family(given), _family(wanted)
    if source == "string":
        return target in _NUMBERS | _DAYS | {"boolean"}
    if target == "timestamp":
        return source in {"float", "double"}
    if source not in _NUMBERS | {"timestamp"} or target not in _INTEGERS | {"decimal"}:
        return False
    # A number may have as many digits as the largest integer of a type, and be larger.
    return _digits(given) > _digits(wanted) - (target in _INTEGERS)


def _digits(number: DataTypeState) -> int:
    """Return how many digits a number has before its point.

    A float has more than any decimal, and a timestamp is cast to its seconds.
    """
    sized = SIZED.fullmatch(str(number))
    return _MOST_DIGITS.get(str(number), 39) if sized is None else int(sized[2]) - int(sized[3])


@lru_cache(maxsize=4096)
def is_coercible(given: DataTypeState, wanted: DataTypeState) -> bool:
    """Whether Spark casts one atomic type to another by itself; other types are left to the merge of the schemas."""
    source, target = _family(given), _family(wanted)
    return source == target or target in _COERCES.get(source, ())
