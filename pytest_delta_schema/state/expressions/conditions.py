"""Conditions as values: what a CHECK compares, so rows can be checked and made without Spark.

A condition is a tree of AND and OR over comparisons. NOT is resolved when the tree is made, which keeps the value for
NULL: NOT of unknown is unknown, and so is the opposite comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Literal, Union

from pytest_delta_schema.delta.names import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta.names import ColumnPath


class ExpressionError(Exception):
    """An expression that cannot be evaluated without Spark."""


Comparator = Literal["=", "<>", "<", "<=", ">", ">="]
"""How two values are compared."""

Scalar = Union[bool, int, Decimal, str, date, datetime]  # noqa: UP007 - used at run time, on every supported Python
"""The value of a literal."""


@dataclass(frozen=True, slots=True)
class Field:
    """The value of a column, or of a field of a struct."""

    path: ColumnPath


@dataclass(frozen=True, slots=True)
class Length:
    """The number of characters of a text."""

    path: ColumnPath


@dataclass(frozen=True, slots=True)
class Value:
    """A literal; ``None`` is NULL."""

    value: Scalar | None


Operand = Union[Field, Length, Value]  # noqa: UP007 - as above


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two operands compare in a way; unknown if one is NULL."""

    left: Operand
    operator: Comparator
    right: Operand


@dataclass(frozen=True, slots=True)
class InList:
    """An operand is one of some literals, or none of them; unknown if it is NULL."""

    operand: Field | Length
    values: tuple[Scalar | None, ...]
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Like:
    """A text is, or is not, like a pattern of SQL; unknown if it is NULL."""

    path: ColumnPath
    pattern: str
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull:
    """A column or a field is, or is not, NULL."""

    path: ColumnPath
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Constant:
    """The same value for every row; ``None`` is unknown."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Unparsed:
    """SQL that is not taken apart."""

    text: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part is true."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part is true."""

    parts: tuple[Condition, ...]


Atom = Union[Comparison, InList, Like, IsNull, Constant, Unparsed]  # noqa: UP007 - as above
Condition = Union[Atom, AllOf, AnyOf]  # noqa: UP007 - as above

_OPPOSITE: Final[dict[Comparator, Comparator]] = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
FLIPPED: Final[dict[Comparator, Comparator]] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The comparison of the same operands the other way round."""


def negated(condition: Condition) -> Condition:  # noqa: PLR0911 - one form a kind
    """Return the condition that is true where the given one is false, and unknown where it is unknown."""
    match condition:
        case Comparison():
            return Comparison(condition.left, _OPPOSITE[condition.operator], condition.right)
        case InList():
            return InList(condition.operand, condition.values, not condition.is_negated)
        case Like():
            return Like(condition.path, condition.pattern, not condition.is_negated)
        case IsNull():
            return IsNull(condition.path, not condition.is_negated)
        case Constant():
            return Constant(None if condition.value is None else not condition.value)
        case Unparsed():
            return Unparsed(f"NOT ({condition.text})")
        case AllOf():
            return AnyOf(tuple(map(negated, condition.parts)))
    return AllOf(tuple(map(negated, condition.parts)))


def conjuncts(condition: Condition) -> tuple[Condition, ...]:
    """Return the parts of a condition that all have to be true."""
    if isinstance(condition, AllOf):
        return tuple(inner for part in condition.parts for inner in conjuncts(part))
    return (condition,)


def atoms_of(condition: Condition) -> Iterator[Atom]:
    """Yield the comparisons of a condition."""
    if isinstance(condition, (AllOf, AnyOf)):
        for part in condition.parts:
            yield from atoms_of(part)
    else:
        yield condition


def used_columns(condition: Condition) -> frozenset[str]:
    """Return the columns that the understood comparisons of a condition use, in lower case."""
    return frozenset(path.folded[0] for path in paths_of(condition))


def paths_of(condition: Condition) -> Iterator[ColumnPath]:
    """Yield the paths that the understood comparisons of a condition use."""
    for atom in atoms_of(condition):
        match atom:
            case Comparison():
                yield from (side.path for side in (atom.left, atom.right) if not isinstance(side, Value))
            case InList():
                yield atom.operand.path
            case Like() | IsNull():
                yield atom.path


def is_understood(condition: Condition) -> bool:
    """Whether no part of a condition is opaque."""
    return not any(isinstance(atom, Unparsed) for atom in atoms_of(condition))


def value_at(row: Mapping[str, Any], path: ColumnPath) -> Any:
    """Return the value at a path in a row; ``None`` below a value that is NULL."""
    value: Any = row.get(path.folded[0])
    for name in path.folded[1:]:
        if not isinstance(value, Mapping):
            return None
        value = next((part for key, part in value.items() if folded(key) == name), None)
    return value
