"""Whether a literal is a default that a column of some type can have, as Delta judges it (Delta 4.4.0, Spark 4.2.0)."""

from __future__ import annotations

import math
import re
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.fields import INTEGER_BITS, SIZED, integer_limit
from pytest_delta_schema.sqlglot_compat import exp
from pytest_delta_schema.state.types import describe_type

if TYPE_CHECKING:
    from pytest_delta_schema.state.types import DataTypeState

_REALS = ("float", "double")
_TIMES = ("date", "timestamp", "timestamp_ntz")
_NO_NUMBERS = ("boolean", "date", "timestamp_ntz")

_NO_BOOLEANS = (*INTEGER_BITS, *_REALS, *_TIMES, "binary")

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WORD_OF_REAL = re.compile(r"[+-]?inf(?:inity)?|nan", re.IGNORECASE)
_DATE = re.compile(r"[+-]?([0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T].*)?)?)?", re.DOTALL)
_LONGEST_NUMBER = 400
_LARGEST_EXPONENT = 100
_EXACT = Context(prec=2 * _LONGEST_NUMBER)


class _Number(NamedTuple):
    value: Decimal
    text: str
    """How Spark writes it as a string; ``""`` if that is not known."""
    is_whole: bool


def literal_fault(node: exp.Expr, data_type: DataTypeState) -> str:
    """Return why a literal cannot be the default of a type; ``""`` if it is one, or only Spark can tell."""
    node = node.unnest()
    if isinstance(node, exp.Null):
        return ""
    if isinstance(node, exp.Literal) and node.is_string:
        return _string_fault(node.this, data_type)
    if isinstance(node, exp.Boolean):
        return _boolean_fault("true" if node.this else "false", data_type)
    number = _number(node)
    return "" if number is None else _number_fault(number, data_type)


def _number(node: exp.Expr) -> _Number | None:
    sign = ""
    while isinstance(node, exp.Neg):
        sign, node = "" if sign else "-", node.this.unnest()
    # A suffix, as in 1L, is a cast.
    if isinstance(node, exp.TryCast) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        node = node.this
    if not isinstance(node, exp.Literal) or node.is_string or len(node.this) > _LONGEST_NUMBER:
        return None
    text = f"{sign}{node.this}"
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    is_real = "e" in text or "E" in text
    return _Number(value, "" if is_real else text, is_whole=_INTEGER.fullmatch(text) is not None)


def _number_fault(number: _Number, data_type: DataTypeState) -> str:  # noqa: PLR0911 - one answer a kind of type
    if not math.isfinite(float(number.value)):
        return "is out of the range of double"
    if not isinstance(data_type, str):
        return _not_of(data_type)
    if data_type in INTEGER_BITS:
        return _range_fault(int(number.value), data_type)
    if data_type in _REALS:
        return ""
    if data_type == "binary":
        return "" if number.is_whole and not _range_fault(int(number.value), "bigint") else _not_of(data_type)
    sized = SIZED.fullmatch(data_type)
    if sized is not None and sized[1] == "decimal":
        return _decimal_fault(number.value, data_type)
    if data_type in _NO_NUMBERS:
        return _not_of(data_type)
    return _length_fault(number.text, data_type)


def _string_fault(text: str, data_type: DataTypeState) -> str:
    if not isinstance(data_type, str) or data_type == "boolean":
        return _not_of(data_type)
    plain = text.strip()
    if data_type in INTEGER_BITS:
        is_known = _INTEGER.fullmatch(plain) is not None and len(plain) <= _LONGEST_NUMBER
        return _range_fault(int(plain), data_type) if is_known else _not_of(data_type)
    if data_type in _REALS:
        is_word = _WORD_OF_REAL.fullmatch(plain) is not None
        return "" if is_word or _NUMBER.fullmatch(plain.rstrip("dDfF")) else _not_of(data_type)
    if data_type in _TIMES:
        return "" if _is_time(plain, data_type) else _not_of(data_type)
    sized = SIZED.fullmatch(data_type)
    if sized is not None and sized[1] == "decimal":
        is_number = _NUMBER.fullmatch(plain) is not None and len(plain) <= _LONGEST_NUMBER
        return _decimal_fault(Decimal(plain), data_type) if is_number else _not_of(data_type)
    return _length_fault(text, data_type)


def _is_time(text: str, data_type: str) -> bool:
    """Whether a text may be a date or a timestamp; that of a timestamp may lack the date."""
    match = _DATE.fullmatch(text)
    if match is None:
        return ":" in text and data_type != "date"
    year, month, day = (int(part or 1) for part in match.groups())
    try:
        # Years repeat every 400 years, and Python knows fewer of them.
        date(year % 400 + 400, month, day)
    except ValueError:
        return False
    return True


def _boolean_fault(text: str, data_type: DataTypeState) -> str:
    if not isinstance(data_type, str) or data_type in _NO_BOOLEANS or data_type.startswith("decimal"):
        return _not_of(data_type)
    return _length_fault(text, data_type)


def _range_fault(value: int, data_type: str) -> str:
    limit = integer_limit(data_type)
    return "" if -limit <= value < limit else f"is out of the range of {data_type}, {-limit} to {limit - 1}"


def _decimal_fault(value: Decimal, data_type: str) -> str:
    precision, scale = (int(part) for part in SIZED.fullmatch(data_type).group(2, 3))  # type: ignore[union-attr]
    exponent = value.adjusted()
    if abs(exponent) <= _LARGEST_EXPONENT:
        rounded = value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, context=_EXACT)
        fits = abs(rounded) < Decimal(10) ** (precision - scale)
    else:
        fits = exponent < 0
    return "" if fits else f"does not fit into {data_type}"


def _length_fault(text: str, data_type: str) -> str:
    sized = SIZED.fullmatch(data_type)
    if sized is None or len(text.rstrip(" ")) <= int(sized[2]):
        return ""
    return f"has more characters than {data_type}"


def _not_of(data_type: DataTypeState) -> str:
    return f"is not a value of {describe_type(data_type)}"
