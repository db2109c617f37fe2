"""The values of types that are ordered, as whole numbers of a step: what comparisons leave of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any, Literal

from pytest_delta_schema.delta.type_widening import SIZED
from pytest_delta_schema.state.expressions.condition_parsing import in_utc, moment_of
from pytest_delta_schema.test_kit.plain_values import FIRST_DAY, FIRST_HOUR, integer_limit

if TYPE_CHECKING:
    from collections.abc import Callable

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
        """Return the index of a number; ``None`` if its value is left out.

        Values count up from the first plain value, or from the nearest one; below zero they count down. After the last
        one they begin again: for a key after every value was taken, else after the plain ones.
        """
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
        return _decimal(int(sized[2]), int(sized[3])) if sized[1] == "decimal" else None
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
            return _times(lambda index: (_EPOCH + index * _MICROSECOND).replace(tzinfo=timezone.utc), DAY)
        case "timestamp_ntz":
            return _times(lambda index: _EPOCH + index * _MICROSECOND, Fraction(0))
    return None


def _times(value: Callable[[int], datetime], margin: Fraction) -> Scale:
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


def _decimal(precision: int, scale: int) -> Scale:
    most = 10**precision - 1
    unit = 10**scale if precision > scale else 1

    def value(index: int) -> Decimal:
        return Decimal((int(index < 0), tuple(map(int, str(abs(index)))), -scale))

    return Scale(
        kind="number", step=Fraction(1, 10**scale), unit=unit, first=unit, lowest=-most, highest=most, value=value
    )
