"""The values of types: plain ones by their number, and, of types that are ordered, what comparisons leave of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from itertools import chain
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any, Literal, Union

from pytest_delta_schema.delta.fields import INTEGER_BITS, SIZED, integer_limit
from pytest_delta_schema.state.expressions import ExpressionError
from pytest_delta_schema.state.expressions.evaluation import compare, like
from pytest_delta_schema.state.expressions.parsing import in_utc, moment_of
from pytest_delta_schema.state.types import ArrayState, DataTypeState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.state.expressions.conditions import Comparator


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


RangeKind = Literal["number", "time", "boolean"]
"""Values of one kind can be compared."""

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - times are compared in UTC
_MICROSECOND = timedelta(microseconds=1)

DAY = Fraction(24 * 3600 * 1_000_000)
"""A day among times."""

_HOUR = 3600 * 1_000_000
_PARTS_OF_ONE = 1024
"""Floats are counted in parts that every float has exactly."""

_MOST_FLOAT = 2**23
_FEW = 4
"""Plain values are closer to each other if there would be fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How the values of a type are counted."""

    kind: RangeKind
    """What they can be compared with."""
    step: Fraction
    unit: int
    """How many steps plain values are apart."""
    first: int
    """The index of the first plain value."""
    lowest: int
    highest: int
    value: Callable[[int], Any]
    """Returns the value of an index."""
    margin: Fraction = Fraction(0)
    """How far from a literal values stay if they may, because its time zone is that of the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The values of a scale that comparisons leave."""

    scale: Scale
    low: int
    high: int
    excluded: frozenset[Fraction] = frozenset()

    @property
    def cycle(self) -> int:
        """After how many numbers the values begin again, at the latest."""
        return self.high - self.low + 1

    @property
    def size(self) -> int:
        """How many values there are."""
        inside = [index for index in self.excluded if self.low <= index / self.scale.step <= self.high]
        return max(0, self.high - self.low + 1 - len(inside))

    def at_least(self, point: Fraction, *, is_strict: bool = False) -> Range:
        """Return the values from a point on."""
        index = point / self.scale.step
        return replace(self, low=max(self.low, floor(index) + 1 if is_strict else ceil(index)))

    def at_most(self, point: Fraction, *, is_strict: bool = False) -> Range:
        """Return the values up to a point."""
        index = point / self.scale.step
        return replace(self, high=min(self.high, ceil(index) - 1 if is_strict else floor(index)))

    def without(self, point: Fraction) -> Range:
        """Return the values but one."""
        if point in (self.low * self.scale.step, self.high * self.scale.step):
            is_low = point == self.low * self.scale.step
            return replace(self, low=self.low + 1) if is_low else replace(self, high=self.high - 1)
        return replace(self, excluded=self.excluded | {point})

    def index(self, number: int, *, is_key: bool = False) -> int | None:
        """Return the index of a number; ``None`` if its value is left out."""
        unit, start, direction = self._unit, self.scale.first, 1
        if unit < self.scale.unit and self.low <= unit:
            start = unit
        if start < self.low:
            aligned = -(-self.low // unit) * unit
            start = aligned if aligned <= self.high else self.low
        elif start > self.high >= 0 and self.scale.kind == "number":
            aligned = -(-max(self.low, 0) // unit) * unit
            start = aligned if aligned <= self.high else self.low
        elif start > self.high:
            aligned = self.high // unit * unit
            start, direction = (aligned, -1) if aligned >= self.low else (self.low, 1)
        steps = (self.high - start if direction > 0 else start - self.low) // unit + 1
        if number <= steps or not is_key:
            index = start + direction * ((number - 1) % steps) * unit
        else:
            index = self.low + (number - 1) % self.cycle
        return None if index * self.scale.step in self.excluded else index

    @property
    def _unit(self) -> int:
        """The distance of plain values: smaller if few of them are in the range."""
        unit = self.scale.unit
        while unit > 1 and (self.high - max(self.low, 0)) // unit < _FEW and self.high > 0:
            unit = unit // 10 if unit % 10 == 0 else unit // 2
        return unit

    def nearest(self, index: int) -> int:
        """Return the index inside that is nearest to another value, at a whole unit if there is one."""
        if index < self.low:
            aligned = -(-self.low // self._unit) * self._unit
            return aligned if aligned <= self.high else self.low
        if index > self.high:
            aligned = self.high // self._unit * self._unit
            return aligned if aligned >= self.low else self.high
        return index


def range_of(data_type: str) -> Range | None:
    """Return all values of a type; ``None`` if its values are not counted."""
    scale = _scale(data_type)
    return None if scale is None else Range(scale=scale, low=scale.lowest, high=scale.highest)


def point_of(value: Any, kind: RangeKind) -> Fraction | None:
    """Return the place of a value of a row, or of a literal, in its kind; ``None`` if it is of another kind."""
    if kind == "boolean":
        return Fraction(value) if isinstance(value, bool) else None
    if kind == "number":
        is_number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
        return Fraction(value) if is_number and isfinite(value) else None
    if isinstance(value, str):
        value = moment_of(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)  # noqa: DTZ001 - compared in UTC
    return Fraction((in_utc(value) - _EPOCH) // _MICROSECOND) if isinstance(value, datetime) else None


def _scale(data_type: str) -> Scale | None:  # noqa: PLR0911 - one form a type
    sized = SIZED.fullmatch(data_type)
    if sized is not None:
        return _decimal_scale(int(sized[2]), int(sized[3])) if sized[1] == "decimal" else None
    match data_type:
        case "tinyint" | "smallint" | "int" | "bigint":
            limit = integer_limit(data_type)
            return Scale(kind="number", step=Fraction(1), unit=1, first=1, lowest=-limit, highest=limit - 1, value=int)
        case "float" | "double":
            return Scale(
                kind="number",
                step=Fraction(1, _PARTS_OF_ONE),
                unit=_PARTS_OF_ONE,
                first=_PARTS_OF_ONE + _PARTS_OF_ONE // 2,
                lowest=-_MOST_FLOAT,
                highest=_MOST_FLOAT,
                value=lambda index: index / _PARTS_OF_ONE,
            )
        case "boolean":
            return Scale(kind="boolean", step=Fraction(1), unit=1, first=1, lowest=0, highest=1, value=bool)
        case "date":
            return Scale(
                kind="time",
                step=DAY,
                unit=1,
                first=(FIRST_DAY - _EPOCH.date()).days,
                lowest=(date(1900, 1, 1) - _EPOCH.date()).days,
                highest=(date(9998, 12, 31) - _EPOCH.date()).days,
                value=lambda index: _EPOCH.date() + timedelta(days=index),
            )
        case "timestamp":
            return _time_scale(lambda index: (_EPOCH + index * _MICROSECOND).replace(tzinfo=timezone.utc), DAY)
        case "timestamp_ntz":
            return _time_scale(lambda index: _EPOCH + index * _MICROSECOND, Fraction(0))
    return None


def _time_scale(value: Callable[[int], datetime], margin: Fraction) -> Scale:
    return Scale(
        kind="time",
        step=Fraction(1),
        unit=_HOUR,
        first=(FIRST_HOUR - _EPOCH) // _MICROSECOND,
        lowest=(datetime(1900, 1, 2) - _EPOCH) // _MICROSECOND,  # noqa: DTZ001 - in UTC
        highest=(datetime(9998, 12, 30) - _EPOCH) // _MICROSECOND,  # noqa: DTZ001 - in UTC
        value=value,
        margin=margin,
    )


def _decimal_scale(precision: int, scale: int) -> Scale:
    most = 10**precision - 1
    unit = 10**scale if precision > scale else 1

    def value(index: int) -> Decimal:
        return Decimal((int(index < 0), tuple(map(int, str(abs(index)))), -scale))

    return Scale(
        kind="number", step=Fraction(1, 10**scale), unit=unit, first=unit, lowest=-most, highest=most, value=value
    )


_FIRST, _LAST = " ", "~"
"""The characters that may replace a different one: printable ASCII."""


def bounded_texts(bounds: Sequence[tuple[Comparator, str]], number: int, shortest: int, longest: int) -> Iterator[str]:
    """Yield texts near some bounds; they have to be compared with the bounds."""
    lower = [text for operator, text in bounds if operator in (">", ">=")]
    upper = [text for operator, text in bounds if operator in ("<", "<=")]
    heads = chain(
        lower,
        (head for text in lower for head in _beside(text, 1)),
        (head for text in upper for head in _beside(text, -1)),
    )
    for head in heads:
        digits = text_value("", number, max(0, shortest - len(head)), longest - len(head))
        if digits is not None:
            yield head + digits
    for step in (number, 1):
        yield from chain.from_iterable(_beside(text, step) for text in lower)
        yield from chain.from_iterable(_beside(text, -step) for text in upper)
    yield from lower
    yield from upper
    yield ""


def _beside(text: str, step: int) -> Iterator[str]:
    """Yield beginnings of a text whose last character is the next one, or the one before."""
    for length in range(len(text), 0, -1):
        other = chr(min(max(ord(text[length - 1]) + step, ord(_FIRST)), ord(_LAST)))
        yield text[: length - 1] + other


_FILLER = "x"


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The texts of a column."""

    name: str
    """What plain texts begin with."""
    lengths: Range
    patterns: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    excluded: frozenset[str] = frozenset()
    bounds: tuple[tuple[Comparator, str], ...] = ()
    """How they compare with literals: operators with the literals that follow them."""

    @property
    def cycle(self) -> int | None:
        """After how many numbers the texts begin again; ``None`` for so many that they are not counted."""
        exact = [pattern for pattern in self.patterns if "%" not in pattern]
        return 1 if exact or self.lengths.high == 0 else None

    def value(self, number: int) -> str | None:
        """Return the text of a number; ``None`` if it is left out."""
        shortest, longest = self.lengths.low, self.lengths.high
        text: str | None
        if self.patterns:
            text = _text_like(self.patterns[0], self.name, number, shortest, longest)
        else:
            text = text_value(self.name, number, shortest, longest) if longest else ""
        if self.has(text) or not self.bounds:
            return text if self.has(text) else None
        return next(filter(self.has, bounded_texts(self.bounds, number, shortest, longest)), None)

    def has(self, text: object) -> bool:
        """Whether a value is among them."""
        return (
            isinstance(text, str)
            and self.lengths.low <= len(text) <= self.lengths.high
            and text not in self.excluded
            and all(_holds(text, operator, literal) for operator, literal in self.bounds)
            and all(like(pattern, text) for pattern in self.patterns)
            and not any(like(pattern, text) for pattern in self.others)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Some values."""

    values: tuple[Any, ...]

    @property
    def cycle(self) -> int:
        """After how many numbers the values begin again."""
        return len(self.values)

    def value(self, number: int) -> Any:
        """Return the value of a number; after the last one they begin again."""
        return self.values[(number - 1) % len(self.values)]


Domain = Union[Range, Texts, Choices]  # noqa: UP007 - a union of classes at run time


def domain_of(data_type: DataTypeState, name: str) -> Domain | None:
    """Return all values of a type; ``None`` if only their being NULL can be decided."""
    if not isinstance(data_type, str):
        return None
    counted = range_of(data_type)
    if counted is not None:
        return counted
    sized = SIZED.fullmatch(data_type)
    if sized is None and data_type != "string":
        return None
    lengths = range_of("int")
    assert lengths is not None  # noqa: S101 - of a literal
    longest = 1000 if sized is None else int(sized[2])
    shortest = longest if sized is not None and sized[1] == "char" else 0
    return Texts(name=name, lengths=replace(lengths, low=shortest, high=longest))


def compared(domain: Domain, operator: Comparator, literal: Any) -> Domain | None:
    """Return what a comparison with a literal leaves; ``None`` if it leaves nothing, or is not understood."""
    if isinstance(domain, Choices):
        return chosen(domain, domain.values, [(operator, literal)])
    if isinstance(domain, Texts):
        if operator == "=":
            return chosen(domain, (literal,), [])
        if operator == "<>":
            return replace(domain, excluded=domain.excluded | {literal})
        return _bounded(domain, operator, literal) if isinstance(literal, str) else None
    point = point_of(literal, domain.scale.kind)
    if point is None:
        return None
    safe = tightened(domain, operator, point, margin=domain.scale.margin)
    narrowed = safe if safe.size else tightened(domain, operator, point)
    return narrowed if narrowed.size else None


def limited(domain: Texts, operator: Comparator, other: Domain) -> Domain | None:
    """Return the texts of a column that may compare with those of another column; ``None`` if none can."""
    if isinstance(other, Choices):
        if operator == "=":
            return chosen(domain, other.values, [])
        texts = [value for value in other.values if isinstance(value, str)]
        farthest = max if operator in ("<", "<=") else min
        return _with_bounds(domain, [(operator, farthest(texts))]) if texts and operator != "<>" else domain
    if not isinstance(other, Texts) or operator == "<>":
        return domain
    if operator == "=":
        lengths = domain.lengths.at_least(Fraction(other.lengths.low)).at_most(Fraction(other.lengths.high))
        if not lengths.size:
            return None
        both = replace(domain, lengths=lengths, patterns=tuple(dict.fromkeys((*domain.patterns, *other.patterns))))
        return _with_bounds(both, other.bounds)
    kept = [(sign, text) for sign, text in other.bounds if sign[0] == operator[0]]
    return _with_bounds(domain, [(sign if operator.endswith("=") else operator, text) for sign, text in kept])


def _with_bounds(domain: Texts, bounds: Iterable[tuple[Comparator, str]]) -> Domain | None:
    narrowed: Domain | None = domain
    for bound in bounds:
        if isinstance(narrowed, Texts) and bound not in narrowed.bounds:
            narrowed = _bounded(narrowed, *bound)
    return narrowed


def _bounded(domain: Texts, operator: Comparator, literal: str) -> Domain | None:
    bounds = (*domain.bounds, (operator, literal))
    bounded = replace(domain, bounds=bounds)
    lower = max((text for sign, text in bounds if sign in (">", ">=")), default="")
    upper = min((text for sign, text in bounds if sign in ("<", "<=")), default=None)
    if upper is None or lower < upper:
        return bounded
    return chosen(bounded, (upper,), [])


def tightened(domain: Range, operator: Comparator, point: Fraction, *, margin: Fraction = Fraction(0)) -> Range:
    """Return the part of a range that compares with a point."""
    match operator:
        case "=":
            return domain.at_least(point).at_most(point)
        case "<>":
            return domain.without(point)
        case "<" | "<=":
            return domain.at_most(point - margin, is_strict=operator == "<")
    return domain.at_least(point + margin, is_strict=operator == ">")


def chosen(domain: Domain, values: tuple[Any, ...], comparisons: list[tuple[Comparator, Any]]) -> Choices | None:
    """Return those of some values that are in a domain and meet comparisons; ``None`` if there are none."""
    inside = [value for value in (stored(domain, value) for value in values) if value is not None]
    kept = [value for value in inside if all(_holds(value, *comparison) for comparison in comparisons)]
    return Choices(values=tuple(dict.fromkeys(kept))) if kept else None


def stored(domain: Domain, value: Any) -> Any:
    """Return a value, or what a literal means, as a domain has it; ``None`` if it is not in it."""
    if isinstance(domain, Texts):
        return value if domain.has(value) else None
    if isinstance(domain, Choices):
        return next((choice for choice in domain.values if _holds(choice, "=", value)), None)
    point = point_of(value, domain.scale.kind)
    if point is None or point in domain.excluded:
        return None
    index = point / domain.scale.step
    is_inside = index.denominator == 1 and domain.low <= index <= domain.high
    return domain.scale.value(int(index)) if is_inside else None


def _holds(value: Any, operator: Comparator, literal: Any) -> bool:
    try:
        return compare(value, operator, literal) is True
    except ExpressionError:
        return False


def _text_like(pattern: str, name: str, number: int, shortest: int, longest: int) -> str | None:
    """Return a text like a pattern: its first ``%`` becomes the text of the number, ``_`` and others become ``x``."""
    literal = len(pattern.replace("%", ""))
    before, percent, after = pattern.replace("_", _FILLER).partition("%")
    gaps = after.count("%")
    if not percent:
        return before
    room = longest - literal
    if room <= 0:
        return (before + after).replace("%", "") if not room else None
    inner = room - gaps if room > gaps else room
    filler = _FILLER if room > gaps else ""
    text = text_value("" if before else name, number, max(0, shortest - literal - len(filler) * gaps), inner)
    return None if text is None else before + text + after.replace("%", filler)
