"""Plain values by type and number: readable, and the same on every machine and version of Python.

Numbers count up, texts are the name of the column with the number, days and hours follow each other. Other seeds take
other numbers, from SHA-256 over seed, column and position: ``hash()`` and ``random`` differ between versions of Python.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from hashlib import sha256
from typing import Any

from pytest_delta_schema.delta.type_widening import SIZED
from pytest_delta_schema.state.types import ArrayState, DataTypeState, MapState, StructState

FIRST_DAY = date(2024, 1, 1)
"""The date of number 1."""

FIRST_HOUR = datetime(2024, 1, 1)  # noqa: DTZ001 - a local time; timestamps get a time zone
"""The time of number 1; in a timestamp it is UTC."""

Make = Callable[[int], Any]
"""Returns the value of a number, which is at least 1."""

_OTHER_NUMBERS = 1000
_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def number_of(seed: int, name: str, position: int) -> int:
    """Return the number of a column in a row: the position itself for seed 0, else one between 1 and 1000.

    Positions begin at 1.
    """
    if seed == 0:
        return position
    digest = sha256(f"{seed}/{name}/{position}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % _OTHER_NUMBERS + 1


def integer_limit(data_type: str) -> int:
    """Return the number above the greatest of an integer type."""
    return 1 << (_BITS[data_type] - 1)


def text_value(name: str, number: int, shortest: int, longest: int | None) -> str | None:
    """Return the text of a number, such as ``city_1``; ``None`` if the number does not fit.

    Shorter numbers get zeros, and the name is cut for the greatest length.
    """
    digits = str(number)
    if longest is not None and len(digits) > longest:
        digits = _in_base_36(number)
        if len(digits) > longest:
            return None
    head = f"{name}_" if name else ""
    digits = digits.rjust(shortest - len(head), "0")
    return head + digits if longest is None else head[: longest - len(digits)] + digits


def maker(data_type: DataTypeState, name: str) -> Make:
    """Return the function that makes plain values of a type."""
    if isinstance(data_type, StructState):
        fields = [(field.name, maker(field.data_type, field.name)) for field in data_type.fields]
        return lambda number: {field: make(number) for field, make in fields}
    if isinstance(data_type, ArrayState):
        element = maker(data_type.element, name)
        return lambda number: [element(number), element(number + 1)]
    if isinstance(data_type, MapState):
        key, value = maker(data_type.key, "key"), maker(data_type.value, name)
        return lambda number: {_as_key(key(number)): value(number)}
    return _atomic(data_type, name)


def _atomic(data_type: str, name: str) -> Make:  # noqa: C901, PLR0911 - one form a type
    if data_type in _BITS:
        limit = integer_limit(data_type)
        return lambda number: (number - 1) % (limit - 1) + 1
    sized = SIZED.fullmatch(data_type)
    if sized is not None:
        kind, first, second = sized.groups()
        if kind == "decimal":
            return _decimal(int(first), int(second))
        length, shortest = int(first), int(first) if kind == "char" else 0
        return lambda number: text_value(name, number, shortest, length) or _cut(number, length)
    match data_type:
        case "string":
            return lambda number: f"{name}_{number}"
        case "boolean":
            return lambda number: number % 2 == 1
        case "double" | "float":
            return lambda number: number + 0.5
        case "date":
            return lambda number: FIRST_DAY + timedelta(days=number - 1)
        case "timestamp":
            first_hour = FIRST_HOUR.replace(tzinfo=timezone.utc)
            return lambda number: first_hour + timedelta(hours=number - 1)
        case "timestamp_ntz":
            return lambda number: FIRST_HOUR + timedelta(hours=number - 1)
        case "binary":
            return lambda number: f"{name}_{number}".encode("utf-8", "replace")
        case "variant":
            return _variant
    return lambda _: None  # void


def _decimal(precision: int, scale: int) -> Make:
    """Return a function that counts in whole numbers, or in the last digit if the type has no whole numbers."""
    step = 10**scale if precision > scale else 1
    steps = (10**precision - 1) // step

    def make(number: int) -> Decimal:
        return Decimal(((number - 1) % steps + 1) * step).scaleb(-scale)

    return make


def _variant(number: int) -> Any:
    from pyspark.sql.types import VariantVal  # noqa: PLC0415 - since Spark 4.0

    return VariantVal.parseJson(f'{{"n": {number}}}')


def _cut(number: int, length: int) -> str:
    return _in_base_36(number)[-length:]


def _in_base_36(number: int) -> str:
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text


def _as_key(value: Any) -> Any:
    """Return a value as a key of a dictionary."""
    if isinstance(value, dict):
        return tuple(map(_as_key, value.values()))
    return tuple(map(_as_key, value)) if isinstance(value, list) else value
