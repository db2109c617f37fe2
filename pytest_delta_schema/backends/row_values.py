"""Rows as a table stores them: those of users and of frames, with values that are read back as they were given."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone, tzinfo
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pyspark.sql.types import ArrayType, MapType, StructType, TimestampType

from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.delta.fields import INTEGER_BITS, SIZED, integer_limit
from pytest_delta_schema.delta.names import NameMap, NameSet, folded, proposal
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.diagnostics.text import shortened
from pytest_delta_schema.state.states import NULL_PARTITION
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, describe_type

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from pyspark.sql.types import DataType

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


_NOT_NULL = "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"


def converted_rows(state: TableState, rows: Any, clock: Clock, unique: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return rows as they will be read back from a table.

    Rows are a frame of Spark or pandas, or any iterable of values by column name, in any case: dictionaries, rows,
    named tuples; a plain tuple has a value for each column, in order. The clock interprets datetimes without a time
    zone. ``unique`` are timestamp columns that are written as local times of the clock's zone, so a local time that
    occurs twice is an error. The result has values by column name in lower case; columns that a row leaves out are left
    out.
    """
    columns = NameMap.of(state.columns)
    partitions = NameSet(state.partitioning)
    converted: list[dict[str, Any]] = []
    lines, conditions = [], []
    for number, row in enumerate(_several(state, rows_of_frame(rows, columns)), start=1):
        faults: list[ValueFault] = []
        by_name = _by_name(row, columns)
        if isinstance(by_name, ValueFault):
            faults.append(by_name)
            converted.append({})
        else:
            converted.append(_converted(by_name, columns, clock, faults))
            faults.extend(_missing_values(by_name, columns))
        faults.extend(_partition_faults(converted[-1], columns, partitions))
        faults.extend(_repeated_hours(converted[-1], unique, clock))
        for fault in faults:
            column = f", column {fault.path}" if fault.path else ""
            lines.append(f"{state.name}: row {number}{column}: {fault.fact}")
            conditions.append(fault.condition)
    if lines:
        raise StatementError("\n".join(lines), condition=next(filter(None, conditions), ""))
    return converted


def _several(state: TableState, rows: object) -> Iterable[object]:
    """Return rows that can be iterated; a value or one row by itself is an error."""
    if isinstance(rows, Mapping) or hasattr(rows, "__fields__") or hasattr(rows, "_fields"):
        msg = f"{state.name}: the rows are one {type(rows).__name__}; give a list of rows, such as [{preview_of(rows)}]"
        raise StatementError(msg)
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
        form = "a list of dicts by column, of Rows, or of tuples in the order of the columns"
        fact = f"the rows are {preview_of(rows)}, which is of Python's type {type(rows).__name__}"
        msg = f"{state.name}: {fact}; give {form}"
        raise StatementError(msg)
    return rows


def _converted(
    row: Mapping[Any, Any], columns: NameMap[ColumnState], clock: Clock, faults: list[ValueFault]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in row.items():
        column = columns.get(str(name))
        if column is None:
            spellings = [column.name for column in columns.values()]
            remedy = proposal(str(name), spellings, f"columns are {_listed(columns.values())}")
            faults.append(ValueFault("", f"there is no column {name}; {remedy}"))
        elif folded(column.name) in values:
            faults.append(ValueFault(column.name, "is given twice, in different case; give it once"))
        else:
            values[folded(column.name)] = convert(value, column.data_type, column.name, clock, faults)
    return values


def _by_name(row: object, columns: NameMap[ColumnState]) -> Mapping[Any, Any] | ValueFault:
    """Return the values of a row by column name; dictionaries, rows and named tuples have names."""
    if isinstance(row, Mapping):
        return row
    if not isinstance(row, tuple):
        fact = f"is a {type(row).__name__}; give a dict by column, a Row, or a tuple in the order of the columns"
        return ValueFault("", fact)
    names = getattr(row, "__fields__", None) or getattr(row, "_fields", None)
    names = names or [column.name for column in columns.values()]
    if len(names) != len(row):
        fact = f"has {len(row)} values for the columns {', '.join(names)}; give one for each, or a dict by column"
        return ValueFault("", fact)
    return dict(zip(names, row, strict=True))


def _missing_values(row: Mapping[Any, Any], columns: NameMap[ColumnState]) -> Iterator[ValueFault]:
    """Yield a fault, in Delta's words, for each NOT NULL column without a value that the table does not fill."""
    given = NameMap((str(name), value) for name, value in row.items())
    for column in columns.values():
        is_filled = column.name not in given and column.value is not None
        if not column.is_nullable and not is_filled and given.get(column.name) is None:
            yield ValueFault("", f"NOT NULL constraint violated for column: {column.name}", _NOT_NULL)


def _listed(columns: Iterable[ColumnState]) -> str:
    return ", ".join(column.name for column in columns)


def _partition_faults(
    row: Mapping[str, Any], columns: NameMap[ColumnState], partitions: Iterable[str]
) -> Iterator[ValueFault]:
    for name in partitions:
        fault = _partition_fault(row.get(name), columns[name])
        if fault is not None:
            yield fault


def _repeated_hours(row: Mapping[str, Any], unique: Iterable[str], clock: Clock) -> Iterator[ValueFault]:
    for name in unique:
        value = row.get(folded(name))
        if value is not None and not clock.happens_once(value):
            fact = (
                f"{preview_of(value)} is in an hour that occurs twice in {clock.zone}, and the partition value is"
                " a local time, because the table has checks, defaults or generated columns; set the session's time"
                " zone to UTC"
            )
            yield ValueFault(name, fact)


def _partition_fault(value: Any, column: ColumnState) -> ValueFault | None:
    """Return why a value is not read back from a partition, whose values are texts in the log (Delta 4.4.0)."""
    text = value
    if isinstance(value, bytes):
        try:
            text = value.decode()
        except UnicodeDecodeError:
            return ValueFault(
                column.name, f"{preview_of(value)} is not UTF-8, as values of binary partition columns must be"
            )
    if text in ("", NULL_PARTITION):
        fact = f"{preview_of(value)} is read back as NULL from a partition column; give NULL, or do not partition by it"
        return ValueFault(column.name, fact)
    if isinstance(text, str) and "\0" in text:
        return ValueFault(
            column.name, f"{preview_of(value)} holds a NUL character, which names of partition folders cannot"
        )
    return None


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
    if data_type in INTEGER_BITS:
        return _integer(value, integer_limit(data_type))
    if data_type == "timestamp":
        return clock.instant(_datetime(value))
    converter = _CONVERTERS.get(data_type)
    if converter is None:
        msg = f"cannot be stored: Delta has no type {data_type}; change the column"
        raise _Misfit(msg)
    return converter(value)


def _integer(value: Any, limit: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise _wrong(value, "an int")
    number = int(value)
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
            faults.append(
                ValueFault(f"{path}.{name}", f"there is no field {name}; fields are {_listed(data_type.fields)}")
            )
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


def preview_of(value: Any) -> str:
    """Write a value for a message, cut if it is long."""
    return shortened(repr(value), _LONGEST)


_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?")
_UTC_NAMES = ("UTC", "GMT", "UT", "Z")


class TimeFault(ValueError):  # noqa: N818 - becomes a fault of a row
    """A datetime is not exactly one instant that can be stored; the text says why, and what to give instead."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time zone in which datetimes without one are read, and how instants are kept."""

    zone: str = ""
    """The name of the session's time zone; ``""`` for that of this process."""
    in_utc: bool = False
    """Whether instants are returned in UTC; otherwise a datetime is returned as it was given."""

    def instant(self, given: datetime) -> datetime:
        """Return the instant that a datetime means."""
        try:
            moment = self._moment(given)
        except OverflowError as error:
            msg = "is out of range in UTC; give an instant from year 1 to year 9999"
            raise TimeFault(msg) from error
        return moment if self.in_utc else given

    def happens_once(self, instant: datetime) -> bool:
        """Whether the local time of an instant in the clock's zone occurs only once."""
        zone = _zone(self.zone) if self.zone else None
        shown = instant.astimezone(zone)
        return len({shown.replace(fold=fold).utcoffset() for fold in (0, 1)}) == 1

    def other_form(self, value: datetime) -> datetime:
        """Return the instant of a local time in the clock's zone, or the local time of an instant."""
        zone = _zone(self.zone) if self.zone else None
        if value.tzinfo is None:
            return value.replace(tzinfo=zone).astimezone(timezone.utc)
        return value.astimezone(zone).replace(tzinfo=None)

    def _moment(self, given: datetime) -> datetime:
        if given.utcoffset() is not None:
            return given.astimezone(timezone.utc)
        zone = _zone(self.zone) if self.zone else None
        first, second = (given.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc) for fold in (0, 1))
        if first != second:
            happens = first.astimezone(zone).replace(tzinfo=None, fold=0) == given.replace(fold=0)
            times = "happens twice" if happens else "does not happen"
            msg = f"has no time zone and {times} in {self.zone or 'the zone of this process'}; {_REMEDY}"
            raise TimeFault(msg)
        shown = first.astimezone().replace(tzinfo=None, fold=0)
        if shown != given.replace(fold=0):
            msg = (
                f"has no time zone; in {self.zone} it is an instant that this process reads back as {shown}; {_REMEDY}"
            )
            raise TimeFault(msg)
        return first


_REMEDY = "give it a tzinfo"


def _zone(name: str) -> tzinfo:
    """Return the time zone that a value of ``spark.sql.session.timeZone`` names."""
    if name in _UTC_NAMES:
        return timezone.utc
    match = _OFFSET.fullmatch(name)
    if match is not None:
        sign, hours, minutes, seconds = match.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes or 0), seconds=int(seconds or 0))
        return timezone(-offset if sign == "-" else offset)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        msg = f"has no time zone, and Python does not know that of the session, {name}; {_REMEDY}"
        raise TimeFault(msg) from error


def rows_of_frame(rows: Any, columns: NameMap[ColumnState]) -> Iterable[object]:
    """Return the rows of a frame of Spark or pandas as dictionaries; anything else as it is."""
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(rows).__mro__}
    if ("pyspark", "DataFrame") in kinds:
        with translate_errors():
            return rows_of_spark(rows)
    if ("pandas", "DataFrame") in kinds:
        return _rows_of_pandas(rows, columns)
    return rows  # type: ignore[no-any-return]  # rows of any form, which are checked one by one


def rows_of_spark(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a Spark frame, by column name; timestamps have a time zone."""
    return [_with_instants(row, frame.schema) for row in frame.collect()]


def _with_instants(value: Any, data_type: DataType) -> Any:
    """Return a value of a frame in which timestamps have a time zone; pyspark shows them in that of this process."""
    if value is None:
        return None
    if isinstance(data_type, TimestampType):
        return value.astimezone()
    if isinstance(data_type, StructType):
        parts = zip(data_type.fields, value, strict=True)
        return {field.name: _with_instants(part, field.dataType) for field, part in parts}
    if isinstance(data_type, ArrayType):
        return [_with_instants(part, data_type.elementType) for part in value]
    if isinstance(data_type, MapType):
        return {
            _key_with_instants(key, data_type.keyType): _with_instants(part, data_type.valueType)
            for key, part in value.items()
        }
    return value


def _key_with_instants(key: Any, data_type: DataType) -> Any:
    """Return a key of a map; a struct stays a row, because dictionaries cannot be keys."""
    return key if isinstance(data_type, StructType) else _with_instants(key, data_type)


def _rows_of_pandas(frame: Any, columns: NameMap[ColumnState]) -> Iterator[dict[str, Any]]:
    names = [str(name) for name in frame.columns]
    values = frame.astype(object).itertuples(index=False, name=None)
    gaps = frame.isna().itertuples(index=False, name=None)
    for row, missing in zip(values, gaps, strict=True):
        yield {
            name: None if is_missing else _whole(value, columns.get(name))
            for name, value, is_missing in zip(names, row, missing, strict=True)
        }


def _whole(value: Any, column: ColumnState | None) -> Any:
    """Return a value for a column of integers, which pandas turns into floats if a value is missing."""
    if column is None or column.data_type not in INTEGER_BITS:
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else value
