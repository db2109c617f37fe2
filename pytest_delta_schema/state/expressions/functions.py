"""The operators and functions that are evaluated without Spark, for the arguments with which they give Spark's value.

Each raises an :class:`ExpressionError` for all other arguments. A test runs the same calls on Spark.
"""

from __future__ import annotations

from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from pytest_delta_schema.sqlglot_compat import exp
from pytest_delta_schema.state.expressions.condition_parsing import in_utc
from pytest_delta_schema.state.expressions.error import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable

_INT: Final = 2**31
"""Whole numbers below are computed: the result of larger ones depends on the types of the columns."""


def _added(left: Any, right: Any) -> Any:
    _require_numbers(left, right)
    return _in_range(left + right)


def _subtracted(left: Any, right: Any) -> Any:
    _require_numbers(left, right)
    return _in_range(left - right)


def _multiplied(left: Any, right: Any) -> Any:
    _require_numbers(left, right)
    return _in_range(left * right)


def _divided(left: Any, right: Any) -> float:
    _require_numbers(left, right)
    _require(right != 0)
    return float(left) / float(right)


def _quotient(left: Any, right: Any) -> int:
    _require(type(left) is int and type(right) is int and right != 0)
    _in_range(left)
    quotient: int = abs(left) // abs(_in_range(right))
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: Any, right: Any) -> int:
    """Return the remainder, which has the sign of the dividend."""
    return int(left - right * _quotient(left, right))


def _absolute(value: Any) -> Any:
    _require_numbers(value)
    return _in_range(abs(value))


def _negative(value: Any) -> Any:
    _require_numbers(value)
    return _in_range(-value)


def _concatenated(*texts: Any) -> str:
    _require(all(isinstance(text, str) for text in texts))
    return "".join(texts)


def _upper(text: Any) -> str:
    _require(isinstance(text, str) and text.isascii())
    return str(text.upper())


def _lower(text: Any) -> str:
    _require(isinstance(text, str) and text.isascii())
    return str(text.lower())


def _length(text: Any) -> int:
    _require(isinstance(text, (str, bytes)))
    return len(text)


def _trimmed(text: Any) -> str:
    """Return a text without the spaces at its ends; Spark leaves tabs and line ends."""
    _require(isinstance(text, str))
    return str(text.strip(" "))


def _part(text: Any, start: Any, length: Any) -> str:
    """Return a part of a text from a position, which is 1 for the first character; Spark reads 0 as 1."""
    _require(isinstance(text, str) and type(start) is int and type(length) is int and start >= 0 and length >= 0)
    first = max(start - 1, 0)
    return str(text[first : first + length])


def _to_date(value: Any) -> date:
    _require(isinstance(value, date))
    return in_utc(value).date() if isinstance(value, datetime) else value


def _to_text(value: Any) -> str:
    _require(isinstance(value, str) or type(value) is int)
    return str(value)


def _to_int(value: Any) -> int:
    _require(type(value) is int)
    return int(_in_range(value))


def _now() -> datetime:
    return datetime.now(timezone.utc)


def _today() -> date:
    return _now().date()


FUNCTIONS: Final[dict[type[exp.Expr], Callable[..., Any]]] = {
    exp.Abs: _absolute,
    exp.Add: _added,
    exp.Concat: _concatenated,
    exp.CurrentDate: _today,
    exp.CurrentTimestamp: _now,
    exp.DPipe: _concatenated,
    exp.Div: _divided,
    exp.IntDiv: _quotient,
    exp.Length: _length,
    exp.Lower: _lower,
    exp.Mod: _remainder,
    exp.Mul: _multiplied,
    exp.Neg: _negative,
    exp.Sub: _subtracted,
    exp.Substring: _part,
    exp.Trim: _trimmed,
    exp.Upper: _upper,
}
"""What is evaluated for arguments of which none is NULL; with one, the value is NULL."""

CASTS: Final[dict[str, Callable[[Any], Any]]] = {
    "DATE": _to_date,
    "TEXT": _to_text,
    "INT": _to_int,
    "BIGINT": _to_int,
}
"""The casts that are evaluated, by the name that sqlglot gives to the type."""


def _require(holds: bool) -> None:  # noqa: FBT001 - the fact is the argument
    if not holds:
        msg = "the value for these arguments is known to Spark only"
        raise ExpressionError(msg)


def _require_numbers(*values: Any) -> None:
    """Require whole numbers, or doubles; the types of decimals depend on their columns."""
    _require(all(type(value) in (int, float) for value in values))


def _in_range(value: Any) -> Any:
    _require(isinstance(value, float) or abs(value) < _INT)
    return value
