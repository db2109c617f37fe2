"""The values that conditions leave of a column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Union

from pytest_delta_schema.delta.type_widening import SIZED
from pytest_delta_schema.state.expressions import ExpressionError
from pytest_delta_schema.state.expressions.truth import compare, like
from pytest_delta_schema.test_kit.generation.ranges import Range, point_of, range_of
from pytest_delta_schema.test_kit.generation.text_bounds import bounded_texts
from pytest_delta_schema.test_kit.plain_values import text_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.state.expressions.conditions import Comparator
    from pytest_delta_schema.state.types import DataTypeState

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
    """Return the part of a range that compares with a point.

    Values stay away from the point by the margin if they may.
    """
    match operator:
        case "=":
            return domain.at_least(point).at_most(point)
        case "<>":
            return domain.without(point)
        case "<" | "<=":
            return domain.at_most(point - margin, is_strict=operator == "<")
    return domain.at_least(point + margin, is_strict=operator == ">")


def chosen(domain: Domain, values: tuple[Any, ...], comparisons: list[tuple[Comparator, Any]]) -> Choices | None:
    """Return those of some values that are in a domain and meet comparisons; ``None`` if there are none.

    The values, as those of the comparisons, may be literals that mean them.
    """
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
