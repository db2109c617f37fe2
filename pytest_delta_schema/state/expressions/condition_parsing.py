"""Read SQL expressions as conditions."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.sqlglot_compat import DIALECT, exp
from pytest_delta_schema.state.expressions.conditions import (
    FLIPPED,
    AllOf,
    AnyOf,
    Comparison,
    Constant,
    Field,
    InList,
    IsNull,
    Length,
    Like,
    Unparsed,
    Value,
    negated,
)
from pytest_delta_schema.state.expressions.parsing import parse_exactly

if TYPE_CHECKING:
    from pytest_delta_schema.state.expressions.conditions import Comparator, Condition, Operand

COMPARATORS: Final[dict[type[exp.Expr], Comparator]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
"""The comparisons of SQL."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.(?:\d{3}){1,2})?)?(?:Z|[+-]\d\d:\d\d)?)?")
"""What every supported Python reads alike."""

_INT: Final = 2**31


@lru_cache(maxsize=4096)
def condition_of(text: str) -> Condition:
    """Return the condition that an expression states; what is not understood is :class:`Unparsed`."""
    node = parse_exactly(text)
    return Unparsed(text) if node is None else condition_of_node(node)


def condition_of_node(node: exp.Expr) -> Condition:  # noqa: PLR0911 - one form a kind of node
    """Return the condition that a syntax tree states."""
    node = node.unnest()
    match node:
        case exp.And():
            return AllOf((condition_of_node(node.this), condition_of_node(node.expression)))
        case exp.Or():
            return AnyOf((condition_of_node(node.this), condition_of_node(node.expression)))
        case exp.Not():
            return negated(condition_of_node(node.this))
        case exp.Boolean():
            return Constant(bool(node.this))
        case exp.Null():
            return Constant(None)
        case exp.Column() | exp.Dot():
            path = path_of(node)
            return Unparsed(node.sql(DIALECT)) if path is None else Comparison(Field(path), "=", Value(value=True))
    return _predicate(node) or Unparsed(node.sql(DIALECT))


def _predicate(node: exp.Expr) -> Condition | None:  # noqa: PLR0911 - as above
    """Return a comparison; ``None`` if it is not understood."""
    match node:
        case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
            return _comparison(node.this, COMPARATORS[type(node)], node.expression)
        case exp.NullSafeEQ():
            path, value = path_of(node.this.unnest()), literal_of(node.expression.unnest())
            if path is None or value is None or value.value is None:
                return None
            return AllOf((IsNull(path, is_negated=True), Comparison(Field(path), "=", value)))
        case exp.Between() if not node.args.get("symmetric"):
            low = _comparison(node.this, ">=", node.args["low"])
            high = _comparison(node.this, "<=", node.args["high"])
            return None if low is None or high is None else AllOf((low, high))
        case exp.In():
            return _among(node)
        case exp.Like():
            path, pattern = path_of(node.this.unnest()), node.expression
            if path is None or not (isinstance(pattern, exp.Literal) and pattern.is_string) or "\\" in pattern.name:
                return None
            return Like(path, pattern.name, is_negated=bool(node.args.get("negate")))
        case exp.Is():
            return _is(node)
        case exp.Anonymous() if node.name.upper() in ("ISNULL", "ISNOTNULL") and len(node.expressions) == 1:
            path = path_of(node.expressions[0].unnest())
            return None if path is None else IsNull(path, is_negated=node.name.upper() == "ISNOTNULL")
    return None


def _is(node: exp.Is) -> Condition | None:
    path, right = path_of(node.this.unnest()), node.expression
    if path is None:
        return None
    if isinstance(right, exp.Null):
        return IsNull(path)
    if isinstance(right, exp.Boolean):
        return AllOf((IsNull(path, is_negated=True), Comparison(Field(path), "=", Value(bool(right.this)))))
    return None


def _among(node: exp.In) -> InList | None:
    operand = _operand(node.this)
    values = [literal_of(value.unnest()) for value in node.expressions]
    known = tuple(value.value for value in values if value is not None)
    if not isinstance(operand, (Field, Length)) or not values or len(known) < len(values):
        return None
    return InList(operand, known)


def _comparison(left: exp.Expr, operator: Comparator, right: exp.Expr) -> Condition | None:
    left, right = left.unnest(), right.unnest()
    if isinstance(left, exp.Coalesce):
        return _with_replacement(left, operator, right)
    if isinstance(right, exp.Coalesce):
        return _with_replacement(right, FLIPPED[operator], left)
    operands = _operand(left), _operand(right)
    if operands[0] is None or operands[1] is None:
        return None
    if isinstance(operands[0], Value):
        return Comparison(operands[1], FLIPPED[operator], operands[0])
    return Comparison(operands[0], operator, operands[1])


def _with_replacement(call: exp.Coalesce, operator: Comparator, other: exp.Expr) -> Condition | None:
    """Return the condition of ``coalesce(column, literal)`` compared with an operand."""
    path = path_of(call.this.unnest())
    if path is None or len(call.expressions) != 1:
        return None
    given, replaced = _comparison(call.this, operator, other), _comparison(call.expressions[0], operator, other)
    if given is None or replaced is None:
        return None
    return AnyOf((AllOf((IsNull(path, is_negated=True), given)), AllOf((IsNull(path), replaced))))


def _operand(node: exp.Expr) -> Operand | None:
    node = node.unnest()
    if isinstance(node, exp.Length):
        path = path_of(node.this.unnest())
        return None if path is None else Length(path)
    path = path_of(node)
    return literal_of(node) if path is None else Field(path)


def path_of(node: exp.Expr) -> ColumnPath | None:
    """Return the path of a column, or of a field of a struct; ``None`` if an expression is more than that."""
    if isinstance(node, exp.Column):
        names = [part.name for part in node.parts if isinstance(part, exp.Identifier)]
        return ColumnPath(*names) if len(names) == len(node.parts) else None
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        above = path_of(node.this)
        return None if above is None else above.child(node.expression.name)
    return None


def literal_of(node: exp.Expr) -> Value | None:  # noqa: PLR0911 - as above
    """Return the value of a literal; ``None`` if an expression is not one."""
    if isinstance(node, exp.Null):
        return Value(None)
    if isinstance(node, exp.Boolean):
        return Value(bool(node.this))
    if isinstance(node, exp.Neg):
        inner = literal_of(node.this.unnest())
        return Value(-inner.value) if inner and type(inner.value) in (int, Decimal) else None  # type: ignore[operator]
    if isinstance(node, (exp.Cast, exp.TryCast)):
        return _cast(node)
    if not isinstance(node, exp.Literal):
        return None
    if node.is_string:
        return Value(node.name)
    return Value(int(node.name)) if node.name.isdigit() else Value(Decimal(node.name))


def _cast(node: exp.Cast | exp.TryCast) -> Value | None:
    """Return the value of a typed literal: ``DATE '2026-01-31'``, ``5L``."""
    inner = literal_of(node.this.unnest())
    if inner is None:
        return None
    if isinstance(inner.value, str):
        is_time = node.to.is_type("date") or node.to.is_type("timestamp", "timestamptz", "timestampntz")
        moment = moment_of(inner.value) if is_time else None
        if moment is None:
            return None
        return Value(moment.date() if node.to.is_type("date") else moment)
    is_kept = type(inner.value) is int and abs(inner.value) < _INT and node.to.is_type("int", "bigint", "double")
    return inner if is_kept or (isinstance(inner.value, Decimal) and node.to.is_type("double")) else None


def moment_of(text: str) -> datetime | None:
    """Return the time that a text means in a comparison with a date or a timestamp; ``None`` if it means none.

    Times are read in UTC, unless they have an offset.
    """
    if _MOMENT.fullmatch(text.strip()) is None:
        return None
    try:
        return in_utc(datetime.fromisoformat(text.strip().replace("Z", "+00:00")))
    except (ValueError, OverflowError):
        return None


def in_utc(moment: datetime) -> datetime:
    """Return a time in UTC, without a time zone; one without a time zone is taken as UTC."""
    offset = moment.utcoffset()
    return moment if offset is None else moment.replace(tzinfo=None) - offset
