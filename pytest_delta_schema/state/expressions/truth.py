"""Whether a condition is true for a row, with the third value of SQL for NULL."""

from __future__ import annotations

import operator
import re
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from math import isnan
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.state.expressions.condition_parsing import in_utc, moment_of
from pytest_delta_schema.state.expressions.conditions import (
    AllOf,
    AnyOf,
    Comparison,
    Constant,
    Field,
    InList,
    IsNull,
    Length,
    Like,
)
from pytest_delta_schema.state.expressions.error import ExpressionError
from pytest_delta_schema.state.expressions.row_paths import value_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_delta_schema.state.expressions.conditions import Comparator, Condition, Operand

_OPERATORS: Mapping[Comparator, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def truth(condition: Condition, row: Mapping[str, Any]) -> bool | None:  # noqa: PLR0911 - one form a kind
    """Return whether a condition is true for a row; ``None`` if that is unknown.

    The condition has no opaque parts. The row has values by column in lower case; a missing column is NULL.

    Raises:
        ExpressionError: If it compares values of kinds that only Spark can compare.
    """
    match condition:
        case AllOf():
            values = {truth(part, row) for part in condition.parts}
            return False if False in values else None if None in values else True
        case AnyOf():
            values = {truth(part, row) for part in condition.parts}
            return True if True in values else None if None in values else False
        case Comparison():
            return compare(_value(condition.left, row), condition.operator, _value(condition.right, row))
        case InList():
            value = _value(condition.operand, row)
            answers = {compare(value, "=", item) for item in condition.values}
            answer = True if True in answers else None if None in answers else False
            return answer if answer is None else answer is not condition.is_negated
        case Like():
            text = value_at(row, condition.path)
            return None if text is None else (like(condition.pattern, text) is not condition.is_negated)
        case IsNull():
            return (value_at(row, condition.path) is None) is not condition.is_negated
        case Constant():
            return condition.value
        case _:
            msg = f"{condition.text} cannot be evaluated without Spark"
            raise ExpressionError(msg)


def compare(left: Any, comparator: Comparator, right: Any) -> bool | None:
    """Return how two values of rows or literals compare, as Spark compares them; ``None`` if one is NULL.

    Raises:
        ExpressionError: If only Spark can compare them.
    """
    if left is None or right is None:
        return None
    pair = _alike(left, right)
    if pair is None:
        msg = f"only Spark can compare {left!r} with {right!r}"
        raise ExpressionError(msg)
    return _OPERATORS[comparator](*pair)


def like(pattern: str, text: object) -> bool:
    """Whether a text is like a pattern, in which ``%`` is any text and ``_`` one character.

    The pattern has no escapes.

    Raises:
        ExpressionError: If it is not a string.
    """
    if not isinstance(text, str):
        msg = f"{text!r} is not a string"
        raise ExpressionError(msg)
    return _pattern(pattern).fullmatch(text) is not None


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> re.Pattern[str]:
    parts = {"%": ".*", "_": "."}
    return re.compile("".join(parts.get(char) or re.escape(char) for char in pattern), re.DOTALL)


def _value(operand: Operand, row: Mapping[str, Any]) -> Any:
    if isinstance(operand, Field):
        return value_at(row, operand.path)
    if isinstance(operand, Length):
        text = value_at(row, operand.path)
        if text is None or isinstance(text, (str, bytes)):
            return None if text is None else len(text)
        msg = f"only Spark knows the length of {text!r}"
        raise ExpressionError(msg)
    return operand.value


def _alike(left: Any, right: Any) -> tuple[Any, Any] | None:
    """Return two values so that Python compares them as Spark does; ``None`` if only Spark can."""
    if (type(left), type(right)) in {(date, str), (str, date)}:
        dates = _written_date(left), _written_date(right)
        return None if None in dates else dates
    if isinstance(left, date) or isinstance(right, date):
        moments = _moment(left), _moment(right)
        return None if None in moments else moments
    if isinstance(left, bool) or isinstance(right, bool):
        return (left, right) if isinstance(left, bool) and isinstance(right, bool) else None
    numbers = (int, float, Decimal)
    if isinstance(left, numbers) and isinstance(right, numbers):
        if isinstance(left, float) or isinstance(right, float):
            return _ordered(float(left)), _ordered(float(right))
        return left, right
    are_texts = isinstance(left, str) and isinstance(right, str)
    return (left, right) if are_texts or (isinstance(left, bytes) and isinstance(right, bytes)) else None


def _written_date(value: str | date) -> date | None:
    """Return the date of a text that is compared with a date: Spark ignores a time behind it, and its offset."""
    if not isinstance(value, str):
        return value
    return None if moment_of(value) is None else date.fromisoformat(value.strip()[:10])


def _ordered(number: float) -> tuple[bool, float]:
    """Return a number so that NaN equals itself and is greater than all others."""
    return (True, 0.0) if isnan(number) else (False, number)


def _moment(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return in_utc(value)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - compared with others without a time zone
    return moment_of(value) if isinstance(value, str) else None
