"""The values of types: plain ones by their number, and candidates near what a condition compares them with."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import partial
from hashlib import sha256
from itertools import chain, count, islice, product
from math import isfinite
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.fields import INTEGER_BITS, SIZED, integer_limit
from pytest_delta_schema.delta.names import folded, same_name
from pytest_delta_schema.state.expressions.parsing import in_utc, moment_of
from pytest_delta_schema.state.types import ArrayState, DataTypeState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


FIRST_DAY = date(2024, 1, 1)
"""The date of number 1."""

FIRST_HOUR = datetime(2024, 1, 1)  # noqa: DTZ001 - a local time; timestamps get a time zone
"""The time of number 1; in a timestamp it is UTC."""

Make = Callable[[int], Any]
"""Returns the value of a number, which is at least 1."""

_OTHER_NUMBERS = 1000
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def number_of(seed: int, name: str, position: int) -> int:
    """Return the number of a column in a row: the position itself for seed 0, else one between 1 and 1000."""
    if seed == 0:
        return position
    digest = sha256(f"{seed}/{name}/{position}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % _OTHER_NUMBERS + 1


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
    if data_type in INTEGER_BITS:
        limit = integer_limit(data_type)
        return lambda number: (number - 1) % (limit - 1) + 1
    sized = SIZED.fullmatch(data_type)
    if sized is not None:
        kind, first, second = sized.groups()
        if kind == "decimal":
            return _plain_decimal(int(first), int(second))
        length, shortest = int(first), int(first) if kind == "char" else 0
        return lambda number: text_value(name, number, shortest, length) or _in_base_36(number)[-length:]
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


def text_value(name: str, number: int, shortest: int, longest: int | None) -> str | None:
    """Return the text of a number, such as ``city_1``; ``None`` if the number does not fit."""
    digits = str(number)
    if longest is not None and len(digits) > longest:
        digits = _in_base_36(number)
        if len(digits) > longest:
            return None
    head = f"{name}_" if name else ""
    digits = digits.rjust(shortest - len(head), "0")
    return head + digits if longest is None else head[: longest - len(digits)] + digits


def _plain_decimal(precision: int, scale: int) -> Make:
    """Return a function that counts in whole numbers, or in the last digit if the type has no whole numbers."""
    step = 10**scale if precision > scale else 1
    steps = (10**precision - 1) // step

    def make(number: int) -> Decimal:
        return Decimal(((number - 1) % steps + 1) * step).scaleb(-scale)

    return make


def _variant(number: int) -> Any:
    from pyspark.sql.types import VariantVal  # noqa: PLC0415 - since Spark 4.0

    return VariantVal.parseJson(f'{{"n": {number}}}')


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


def changed(value: Any, data_type: DataTypeState, parts: Sequence[str], change: Callable[[Any], Any]) -> Any:
    """Return a value with a change at a path: in the first element of an array, and the first entry of a map."""
    if not parts:
        return change(value)
    if not value:
        # What is NULL, or empty, has no parts.
        value = maker(data_type, parts[0])(1)
    if isinstance(data_type, ArrayState):
        return [changed(value[0], data_type.element, parts[1:], change), *value[1:]]
    if isinstance(data_type, MapState):
        ((key, item), *others) = value.items()
        if parts[0] == "key":
            key = changed(key, data_type.key, parts[1:], change)
        else:
            item = changed(item, data_type.value, parts[1:], change)
        return dict([(key, item), *others])
    assert isinstance(data_type, StructState)  # noqa: S101 - a path leads through these types only
    made = []
    for part, item in zip(data_type.fields, struct_fields(value, data_type), strict=True):
        is_changed = same_name(part.name, parts[0])
        made.append(changed(item, part.data_type, parts[1:], change) if is_changed else item)
    if isinstance(value, tuple):
        return tuple(made)
    return dict(zip([part.name for part in data_type.fields], made, strict=True))


def struct_fields(value: Any, data_type: StructState) -> Sequence[Any]:
    """Return the fields of a struct in order: it is a dictionary by their names, or a row or tuple with all of them."""
    if isinstance(value, dict):
        given = {folded(name): part for name, part in value.items()}
        return [given.get(folded(field.name)) for field in data_type.fields]
    return tuple(value)


_PARTS_OF_ONE = 1024
"""Floats are counted in parts that every float has exactly."""

_MOST_PARTS = 2**24
_FIRST_YEAR, _LAST_YEAR = 1900, 9998
_LONGEST = 1000
_FIRST, _LAST = " ", "~"
"""The characters that may replace a different one: printable ASCII."""

_MOST_FAILURES = 40
"""After how many refused values in a row a series ends."""

_MOST_OPERANDS = 12
_MOST_DAYS = 300


class Values:
    """The values of a type that a condition accepts, in a fixed order: plain ones first, then those near operands."""

    def __init__(
        self, data_type: DataTypeState, name: str, operands: Sequence[Any], accepts: Callable[[Any], bool]
    ) -> None:
        self.accepts = accepts
        self._subject = data_type, name, operands
        self._series = chain([map(maker(data_type, name), count(1))], near(*self._subject))
        self._items: Iterator[Any] = iter(())
        self._seen: set[str] = set()
        self._order: list[Any] = []
        self._special: list[Any] | None = None

    def at(self, index: int) -> Any:
        """Return the value of an index; after the last one they begin again. ``None`` if there is none."""
        self.size(index)
        return self._order[index % len(self._order)] if self._order else None

    def size(self, limit: int) -> int | None:
        """Return how many values there are; ``None`` if there are more than a limit."""
        while len(self._order) <= limit:
            value = next(self._items, None)
            if value is None:
                series = next(self._series, None)
                if series is None:
                    return len(self._order)
                self._items = _accepted(series, self._subject[0], self.accepts)
            elif (text := repr(value)) not in self._seen:
                self._seen.add(text)
                self._order.append(value)
        return None

    def special(self) -> list[Any]:
        """Return the values nearest to the operands."""
        if self._special is None:
            self._special = [value for value in nearest(*self._subject) if self.accepts(value)]
        return self._special


def nearest(data_type: DataTypeState, name: str, operands: Sequence[Any]) -> Iterator[Any]:
    """Yield the first values of each series near some operands."""
    for series in near(data_type, name, operands):
        values = (fitted(item, data_type) for item in islice(series, 2))
        yield from (value for value in values if value is not None)


def _accepted(series: Iterable[Any], data_type: DataTypeState, accepts: Callable[[Any], bool]) -> Iterator[Any]:
    """Yield what is accepted of a series, until it begins again, or too many in a row are not."""
    failures, seen = 0, set()
    for item in series:
        value = fitted(item, data_type)
        if value is not None and accepts(value):
            failures = 0
            if (text := repr(value)) in seen:
                return
            seen.add(text)
            yield value
        else:
            failures += 1
            if failures > _MOST_FAILURES:
                return


def fitted(value: Any, data_type: DataTypeState) -> Any:
    """Return a value as a column of a type holds it; ``None`` if it cannot."""
    if not isinstance(data_type, str):
        return value
    step = _step(data_type)
    if step is not None:
        return _number(value, data_type, step) if _is_number(value) else None
    if data_type in _TIMES:
        moment = _moment(value)
        if moment is None or not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
            return None
        return _TIMES[data_type](moment)
    lengths = _lengths(data_type)
    if lengths is not None:
        return value if isinstance(value, str) and lengths[0] <= len(value) <= lengths[1] else None
    return value if (data_type == "boolean") is isinstance(value, bool) else None


def _number(value: Any, data_type: str, step: Fraction) -> Any:
    number = Fraction(value)
    steps = number / step
    if data_type in ("double", "float"):
        is_exact = number == float(number) and (data_type == "double" or abs(steps) < _MOST_PARTS)
        return float(number) if is_exact and (data_type == "double" or steps.denominator == 1) else None
    if steps.denominator > 1:
        return None
    if data_type in INTEGER_BITS:
        return int(steps) if -integer_limit(data_type) <= steps < integer_limit(data_type) else None
    sized = SIZED.fullmatch(data_type)
    assert sized is not None  # noqa: S101 - a decimal
    text = tuple(map(int, str(abs(int(steps)))))
    return Decimal((int(steps < 0), text, -int(sized[3]))) if len(text) <= int(sized[2]) else None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, Decimal, Fraction)) and not isinstance(value, bool) and isfinite(value)


def _step(data_type: str) -> Fraction | None:
    """Return the distance of the numbers of a type; ``None`` for another type."""
    if data_type in INTEGER_BITS:
        return Fraction(1)
    if data_type in ("double", "float"):
        return Fraction(1, _PARTS_OF_ONE)
    sized = SIZED.fullmatch(data_type)
    return Fraction(1, 10 ** int(sized[3])) if sized is not None and sized[1] == "decimal" else None


def _lengths(data_type: str) -> tuple[int, int] | None:
    """Return how short and how long the texts of a type are; ``None`` for another type."""
    if data_type == "string":
        return 0, _LONGEST
    sized = SIZED.fullmatch(data_type)
    return None if sized is None else (int(sized[2]) if sized[1] == "char" else 0, int(sized[2]))


_TIMES: dict[str, Callable[[datetime], Any]] = {
    "date": datetime.date,
    "timestamp": lambda moment: moment.replace(tzinfo=timezone.utc),
    "timestamp_ntz": lambda moment: moment,
}


def _moment(value: Any) -> datetime | None:
    """Return the time, in UTC and without a time zone, that a value or a literal means; ``None`` if it means none."""
    moment = moment_as_written(value)
    return None if moment is None else in_utc(moment)


def moment_as_written(value: Any) -> datetime | None:
    """Return the time that a value or a literal means, with the time zone that it has."""
    if isinstance(value, str):
        return moment_of(value)
    if isinstance(value, datetime) or not isinstance(value, date):
        return value if isinstance(value, datetime) else None
    return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - a local time


def near(data_type: DataTypeState, name: str, operands: Sequence[Any]) -> Iterator[Iterable[Any]]:
    """Yield series of values that may meet a condition with some operands; those that do not fit are left out later.

    Args:
        data_type: The type of the values.
        name: The name of their column.
        operands: The literals of the condition, and what the other columns hold.
    """
    some = [value for value in operands if value is not None][:_MOST_OPERANDS]
    wholes = [value for value in some if type(value) is int]
    if isinstance(data_type, ArrayState):
        item = maker(data_type.element, name)
        sizes = (size + more for size in wholes if abs(size) <= _LONGEST for more in (0, 1, -1))
        yield ([item(number + 1) for number in range(size)] for size in (0, *sizes))
    elif isinstance(data_type, str):
        step = _step(data_type)
        if step is not None:
            yield from _numbers_near([Fraction(value) for value in some if _is_number(value)], step)
        elif data_type in _TIMES:
            moments = [moment for moment in map(_moment, some) if moment is not None]
            yield from _times_near(moments, wholes, is_date=data_type == "date")
        elif lengths := _lengths(data_type):
            yield from _texts_near([value for value in some if isinstance(value, str)], wholes, name, *lengths)


def _numbers_near(numbers: list[Fraction], step: Fraction) -> Iterator[Iterable[Fraction]]:
    points = [*dict.fromkeys((*numbers, Fraction(0)))]
    for unit in dict.fromkeys((Fraction(1), step)):
        for point in points:
            yield map(point.__add__, map(unit.__mul__, count()))
            yield map(point.__sub__, map(unit.__mul__, count(1)))
    for left, right in product(points, repeat=2):
        yield left + right, left - right
        yield left * right, (left + right) / 2
        if right:
            yield left / right, Fraction(left // right)


def _times_near(moments: list[datetime], wholes: list[int], *, is_date: bool) -> Iterator[Iterable[datetime]]:
    points = [*dict.fromkeys((*moments, FIRST_HOUR))]
    for unit in (timedelta(days=1),) if is_date else (timedelta(days=1), timedelta(hours=1)):
        for point in points:
            yield _moved(point, unit, count())
            yield _moved(point, -unit, count(1))
    for point in points:
        yield _moved(point, timedelta(days=1), (sign * whole for whole in wholes for sign in (1, -1)))
    for left, right in product(moments, repeat=2):
        yield (left + (right - left) / 2,)
    near_wholes = [2, 1, *(whole + more for more in (0, 1, -1) for whole in wholes)]
    years = [year for year in near_wholes if _FIRST_YEAR < year < _LAST_YEAR] or [FIRST_DAY.year]
    months = [month for month in near_wholes if 1 <= month <= 12]  # noqa: PLR2004 - months of a year
    days = [day for day in near_wholes if 1 <= day <= 28]  # noqa: PLR2004 - days of every month
    for parts in islice(product(years, dict.fromkeys(months), dict.fromkeys(days)), _MOST_DAYS):
        yield (datetime(*parts),)  # noqa: DTZ001 - in UTC


def _moved(moment: datetime, unit: timedelta, numbers: Iterable[int]) -> Iterator[datetime]:
    for number in numbers:
        try:
            yield moment + number * unit
        except OverflowError:
            return


def _texts_near(
    texts: list[str], wholes: list[int], name: str, shortest: int, longest: int
) -> Iterator[Iterable[str | None]]:
    patterns = [text for text in texts if not {"%", "_"}.isdisjoint(text)]
    for text in texts:
        yield from _samples(text)
    yield from ((text,) for text in texts if text not in patterns)
    sizes = [size + more for size in wholes for more in (0, 1, -1) if shortest <= size + more <= longest]
    for low, high in ((shortest, longest), *zip(sizes, sizes, strict=True)):
        for pattern in patterns:
            yield map(partial(_text_like, pattern, name, low, high), count(1))
        yield (text_value(name, number, low, high) for number in count(1))
    for text in texts:
        for head in (text, *_beside(text, 1), *_beside(text, -1)):
            yield (None if end is None else head + end for end in map(partial(_end, head, shortest, longest), count(1)))
        for sign in (1, -1) if text else ():
            yield (other for step in count(1) for other in _beside(text, sign * step))
        yield text.upper(), text.lower()
    yield (text_value(name.upper(), number, shortest, longest) for number in count(1))
    yield "", "x"
    for left, right in product(texts, repeat=2):
        yield (left + right,)
    yield from (map(str, count(whole)) for whole in (1, *wholes))


def _end(head: str, shortest: int, longest: int, number: int) -> str | None:
    return text_value("", number, shortest - len(head), longest - len(head))


def _beside(text: str, step: int) -> Iterator[str]:
    """Yield beginnings of a text whose last character is the next one, or the one before."""
    for length in range(len(text), 0, -1):
        other = chr(min(max(ord(text[length - 1]) + step, ord(_FIRST)), ord(_LAST)))
        yield text[: length - 1] + other


def _text_like(pattern: str, name: str, shortest: int, longest: int, number: int) -> str | None:
    """Return a text like a pattern: its first ``%`` becomes the text of the number, ``_`` and others become ``x``."""
    literal = len(pattern.replace("%", ""))
    before, percent, after = pattern.replace("_", "x").partition("%")
    gaps = after.count("%")
    if not percent:
        return before
    room = longest - literal
    if room <= 0:
        return (before + after).replace("%", "") if not room else None
    inner = room - gaps if room > gaps else room
    filler = "x" if room > gaps else ""
    text = text_value("" if before else name, number, max(0, shortest - literal - len(filler) * gaps), inner)
    return None if text is None else before + text + after.replace("%", filler)


_CLASSES = {"d": digits, "w": ascii_lowercase + digits, "s": " ", ".": "x"}
_GROUP = re.compile(r"\((?:\?:)?([^()|]*)(?:\|[^()]*)?\)(?:\{(\d+)[^}]*\}|[*+?])?")
_PIECE = re.compile(r"(\[\^?[^\]]+\]|\\.|[^\\*+?{}()|\[\]^$])(?:\{(\d+)[^}]*\}|[*+?])?|[\^$]")


def _samples(pattern: str) -> Iterator[Iterable[str]]:
    """Yield the series of texts that match a regular expression, if it is a simple one: the first of its choices."""
    if re.search(r"[\[({^$*+?\\.|]", pattern) is None:
        return
    while (flat := _GROUP.sub(lambda group: group[1] * int(group[2] or 1), pattern)) != pattern:
        pattern = flat
    choice = pattern.partition("|")[0]
    pieces = [*_PIECE.finditer(choice)]
    if "".join(piece[0] for piece in pieces) == choice:
        characters = [_characters(piece[1]) for piece in pieces if piece[1] for _ in range(int(piece[2] or 1))]
        yield (_sample(characters, number) for number in count(1))


def _characters(piece: str) -> str:
    """Return characters that a part of a regular expression matches."""
    if not piece.startswith("["):
        return _CLASSES.get(piece.removeprefix("\\"), piece[-1]) if len(piece) > 1 or piece == "." else piece
    inner = re.sub(r"(.)-(.)", lambda ends: "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1))), piece[1:-1])
    if not inner.startswith("^"):
        return inner
    return "".join(other for other in ascii_lowercase + ascii_uppercase + digits if other not in inner) or " "


def _sample(characters: Sequence[str], number: int) -> str:
    """Return the text of a number, whose last characters change first."""
    text = ""
    for choices in reversed(characters):
        number, index = divmod(number, len(choices))
        text = choices[index] + text
    return text
