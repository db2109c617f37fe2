"""Convert a Python value to the type of a column, or report what the conversion would change.

The result is what a reader of the table gets. Rounding to ``float`` and padding of ``char`` are allowed; any other loss
is a fault.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.backends.rows.row_clocks import Clock, TimeFault
from pytest_delta_schema.delta.names.folded_names import NameMap
from pytest_delta_schema.delta.type_widening import SIZED
from pytest_delta_schema.diagnostics.escaping import shortened
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, describe_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.state.types import DataTypeState

_INTEGERS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_TOO_LONG = "DELTA_EXCEED_CHAR_VARCHAR_LIMIT"
_LONGEST = 60
_ANY = Context(prec=100, traps=[Inexact, InvalidOperation, Overflow])


class ValueFault(NamedTuple):
    """A part of a value that a reader would not get back."""

    path: str
    """The column, or a part of it: ``lines.element.price``."""
    fact: str
    """What is wrong, and what to give instead."""
    condition: str = ""
    """Delta's error class for it; ``""`` if it has none."""


class _Misfit(Exception):  # noqa: N818 - becomes a fault
    """A value does not fit a type; the text continues a sentence that begins with "it"."""

    def __init__(self, text: str, condition: str = "") -> None:
        self.condition = condition
        super().__init__(text)


def convert(value: Any, data_type: DataTypeState, path: str, clock: Clock, faults: list[ValueFault]) -> Any:
    """Return a value as a column of some type stores it.

    The clock interprets datetimes without a time zone. ``faults`` receives a fault for each part that does not fit; the
    returned value must not be used then. Structs become dictionaries by the names of their fields, within keys of maps
    tuples; arrays become lists and maps dictionaries.
    """
    if value is None:
        return None
    try:
        if isinstance(data_type, StructState):
            return _struct(value, data_type, path, clock, faults)
        if isinstance(data_type, ArrayState):
            return _array(value, data_type, path, clock, faults)
        if isinstance(data_type, MapState):
            return _map(value, data_type, path, clock, faults)
        return _atomic(value, data_type, clock)
    except (_Misfit, TimeFault) as error:
        fact = f"{preview_of(value)} does not fit {describe_type(data_type)}: it {error}"
        faults.append(ValueFault(path, fact, getattr(error, "condition", "")))
        return None


def _atomic(value: Any, data_type: str, clock: Clock) -> Any:
    sized = SIZED.fullmatch(data_type)
    if sized is not None:
        kind, first, second = sized.groups()
        return _decimal(value, int(first), int(second)) if kind == "decimal" else _sized_text(value, kind, int(first))
    if data_type in _INTEGERS:
        return _integer(value, _INTEGERS[data_type])
    if data_type == "timestamp":
        return clock.instant(_datetime(value))
    converter = _CONVERTERS.get(data_type)
    if converter is None:
        msg = f"cannot be stored: Delta has no type {data_type}; change the column"
        raise _Misfit(msg)
    return converter(value)


def _integer(value: Any, bits: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise _wrong(value, "an int")
    number, limit = int(value), 1 << (bits - 1)
    if not -limit <= number < limit:
        msg = f"is out of range; give a number from {-limit} to {limit - 1}"
        raise _Misfit(msg)
    return number


def _double(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise _wrong(value, "a float")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if number != value and not math.isnan(number):
        msg = "is a number that a double cannot hold exactly; give a float"
        raise _Misfit(msg)
    return number


def _float(value: Any) -> float:
    number = _double(value)
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError as error:
        msg = "is out of range and would become infinite; give a smaller number"
        raise _Misfit(msg) from error


def _decimal(value: Any, precision: int, scale: int) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (Decimal, Integral)):
        raise _wrong(value, "a Decimal or an int")
    number = value if isinstance(value, Decimal) else Decimal(int(value))
    if not number.is_finite():
        msg = "is not finite; a decimal cannot hold NaN or infinity"
        raise _Misfit(msg)
    if not number.is_zero() and number.adjusted() >= precision - scale:
        whole = precision - scale
        msg = f"has more than {whole} digits before the decimal point; give a smaller number or widen the column"
        raise _Misfit(msg)
    try:
        return number.quantize(Decimal((0, (1,), -scale)), context=_ANY)
    except (Inexact, InvalidOperation) as error:
        msg = f"has more than {scale} decimal places; round it or widen the column"
        raise _Misfit(msg) from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(value, "a str")
    text = str.__str__(value)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        msg = "holds half of a surrogate pair, which UTF-8 cannot"
        raise _Misfit(msg) from error
    return text


def _sized_text(value: Any, kind: str, length: int) -> str:
    text = _text(value)
    if len(text) > length:
        msg = f"has {len(text)} characters, and {kind}({length}) holds {length}; shorten it or widen the column"
        raise _Misfit(msg, _TOO_LONG)
    return text


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(value, "a bool")
    return value


def _binary(value: Any) -> bytes:
    if not isinstance(value, (bytes, bytearray)):
        raise _wrong(value, "bytes")
    return bytes(value)


def _date(value: Any) -> date:
    if isinstance(value, datetime):
        msg = "has a time, which a date cannot hold; give its date()"
        raise _Misfit(msg)
    if not isinstance(value, date):
        raise _wrong(value, "a date")
    return value


def _datetime(value: Any) -> datetime:
    # pandas.NaT is an instance of datetime, and is equal to nothing.
    if not isinstance(value, datetime) or value != value:  # noqa: PLR0124
        raise _wrong(value, "a datetime")
    if getattr(value, "nanosecond", 0):
        msg = "has nanoseconds, which would be cut; round it to microseconds"
        raise _Misfit(msg)
    day = (value.year, value.month, value.day)
    time = (value.hour, value.minute, value.second, value.microsecond)
    return datetime(*day, *time, tzinfo=value.tzinfo, fold=value.fold)


def _local_time(value: Any) -> datetime:
    given = _datetime(value)
    if given.utcoffset() is not None:
        msg = "has a time zone, which timestamp_ntz cannot hold; give it without tzinfo, or declare a timestamp"
        raise _Misfit(msg)
    return given


def _variant(value: Any) -> Any:
    if type(value).__name__ != "VariantVal":
        raise _wrong(value, "a VariantVal, such as VariantVal.parseJson(text)")
    return value


def _void(value: Any) -> None:
    raise _wrong(value, "None")


_CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "binary": _binary,
    "boolean": _boolean,
    "date": _date,
    "double": _double,
    "float": _float,
    "string": _text,
    "timestamp_ntz": _local_time,
    "variant": _variant,
    "void": _void,
}


def _struct(value: Any, data_type: StructState, path: str, clock: Clock, faults: list[ValueFault]) -> dict[str, Any]:
    fields = NameMap.of(data_type.fields)
    given: dict[str, Any] = {}
    for name, part in _named_parts(value, data_type).items():
        field = fields.get(str(name))
        if field is None:
            faults.append(ValueFault(f"{path}.{name}", f"there is no field {name}; fields are {_names(data_type)}"))
        elif field.name in given:
            faults.append(ValueFault(f"{path}.{name}", "is given twice, in different case; give it once"))
        else:
            given[field.name] = convert(part, field.data_type, f"{path}.{field.name}", clock, faults)
    return {field.name: given.get(field.name) for field in data_type.fields}


def _named_parts(value: Any, data_type: StructState) -> Mapping[Any, Any]:
    """Return the given parts of a struct by field name; dictionaries, rows and named tuples have names."""
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, (tuple, list)):
        raise _wrong(value, "a dict by field, or a tuple")
    names = getattr(value, "__fields__", None) or getattr(value, "_fields", None)
    names = names or [field.name for field in data_type.fields]
    if len(names) != len(value):
        msg = f"has {len(value)} values for {len(names)} fields; give a dict by field"
        raise _Misfit(msg)
    return dict(zip(names, value, strict=True))


def _array(value: Any, data_type: ArrayState, path: str, clock: Clock, faults: list[ValueFault]) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise _wrong(value, "a list")
    return [convert(part, data_type.element, f"{path}.element", clock, faults) for part in value]


def _map(value: Any, data_type: MapState, path: str, clock: Clock, faults: list[ValueFault]) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(value, "a dict")
    if None in value:
        msg = "has the key None; keys of maps are never NULL"
        raise _Misfit(msg)
    converted: dict[Any, Any] = {}
    for key, part in value.items():
        kept = _hashable(convert(key, data_type.key, f"{path}.key", clock, faults))
        if kept in converted and kept is not None:
            faults.append(ValueFault(f"{path}.key", f"{preview_of(key)} duplicates another key after conversion"))
        converted[kept] = convert(part, data_type.value, f"{path}.value", clock, faults)
    return converted


def _hashable(key: Any) -> Any:
    if isinstance(key, dict):
        return tuple(map(_hashable, key.values()))
    return tuple(map(_hashable, key)) if isinstance(key, list) else key


def _wrong(value: Any, wanted: str) -> _Misfit:
    return _Misfit(f"is of Python's type {type(value).__name__}; give {wanted}")


def _names(data_type: StructState) -> str:
    return ", ".join(field.name for field in data_type.fields)


def preview_of(value: Any) -> str:
    """Write a value for a message, cut if it is long."""
    return shortened(repr(value), _LONGEST)
