"""Evaluate expressions for rows, without Spark: only what gives Spark's value, everything else is an error."""

from __future__ import annotations

import operator
import re
from contextlib import suppress
from datetime import date, datetime, timezone
from decimal import Decimal
from functools import lru_cache
from math import isnan
from typing import TYPE_CHECKING, Any, Final

from pytest_delta_schema.sqlglot_compat import DIALECT, exp
from pytest_delta_schema.state.expressions.conditions import (
    AllOf,
    AnyOf,
    Comparison,
    Constant,
    ExpressionError,
    Field,
    InList,
    IsNull,
    Length,
    Like,
    Value,
    value_at,
)
from pytest_delta_schema.state.expressions.parsing import (
    INT_LIMIT,
    PREDICATES,
    condition_of_node,
    in_utc,
    literal_of,
    moment_of,
    parse_exactly,
    path_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_delta_schema.state.expressions.conditions import Comparator, Condition, Operand

    Row = Mapping[str, Any]


def evaluate(text: str, rows: Iterable[Row], columns: Iterable[str]) -> list[Any]:
    """Return the value of an expression for each row; see :func:`pytest_delta_schema.state.expressions.evaluate`."""
    table = list(rows)
    if not table:
        return []
    node = parse_exactly(text)
    if node is None:
        msg = f"{text} cannot be parsed"
        raise ExpressionError(msg)
    known = set(columns)
    return [_value_of_node(node, {name: row.get(name) for name in known}) for row in table]


def failing_rows(text: str, rows: Iterable[Row], columns: Iterable[str]) -> list[int]:
    """Return the rows that do not meet a condition; see :func:`pytest_delta_schema.state.expressions.failing_rows`."""
    return [index for index, value in enumerate(evaluate(text, rows, columns)) if value is not True]


def _value_of_node(node: exp.Expr, row: Row) -> Any:  # noqa: PLR0911 - one form a kind of node
    node = node.unnest()
    path = path_of(node)
    if path is not None:
        if path.folded[0] not in row:
            raise _unknown(node)
        return value_at(row, path)
    literal = literal_of(node)
    if literal is not None:
        value = literal.value
        return float(value) if isinstance(value, (int, Decimal)) and _is_double(node) else value
    if isinstance(node, PREDICATES):
        return truth(condition_of_node(node, lambda part: Value(_value_of_node(part, row))), row)
    if isinstance(node, exp.If):
        return _chosen([(node.this, node.args["true"])], node.args.get("false"), row)
    if isinstance(node, exp.Case) and node.this is None:
        return _chosen([(case.this, case.args["true"]) for case in node.args["ifs"]], node.args.get("default"), row)
    if isinstance(node, exp.Coalesce):
        values = [_value_of_node(argument, row) for argument in (node.this, *node.expressions)]
        _require_one_type(values, node)
        return next((value for value in values if value is not None), None)
    if isinstance(node, exp.Array):
        items = [_value_of_node(item, row) for item in node.expressions]
        _require_one_type(items, node)
        return items
    if isinstance(node, (exp.Cast, exp.TryCast)):
        return _cast(node, row)
    return _called(node, row)


def _is_double(node: exp.Expr) -> bool:
    """Whether a literal is a double: ``1D``, ``1e3``."""
    while isinstance(node, (exp.Neg, exp.Paren)):
        node = node.this
    if isinstance(node, exp.Cast):
        return bool(node.to.is_type("double"))
    return isinstance(node, exp.Literal) and node.is_number and "e" in node.name.lower()


def _boolean(node: exp.Expr, row: Row) -> bool | None:
    value = _value_of_node(node, row)
    if value is not None and not isinstance(value, bool):
        raise _unknown(node)
    return value


def _chosen(cases: list[tuple[exp.Expr, exp.Expr]], default: exp.Expr | None, row: Row) -> Any:
    last = None if default is None else _value_of_node(default, row)
    values = [_value_of_node(result, row) for _, result in cases]
    _require_one_type([*values, last], cases[0][1])
    for (condition, _), value in zip(cases, values, strict=True):
        if _boolean(condition, row) is True:
            return value
    return last


def _require_one_type(values: Iterable[Any], node: exp.Expr) -> None:
    """Refuse values of several types, which Spark casts to one."""
    if len({type(value) for value in values if value is not None}) > 1:
        raise _unknown(node)


def _cast(node: exp.Cast | exp.TryCast, row: Row) -> Any:
    cast, value = CASTS.get(node.to.this.name), _value_of_node(node.this, row)
    if cast is None or node.to.expressions:
        raise _unknown(node)
    return None if value is None else cast(value)


def _called(node: exp.Expr, row: Row) -> Any:
    function = FUNCTIONS.get(type(node))
    arguments: list[exp.Expr] = []
    for part in node.args.values():
        arguments += [item for item in (part if isinstance(part, list) else [part]) if isinstance(item, exp.Expr)]
    # Words among the arguments, such as the side of LTRIM, are not evaluated.
    if function is None or any(isinstance(part, str) for part in node.args.values()):
        raise _unknown(node)
    values = [_value_of_node(argument, row) for argument in arguments]
    if None in values and not isinstance(node, exp.ArraySize):
        return None
    try:
        return function(*values)
    except (ExpressionError, TypeError, OverflowError):
        raise _unknown(node) from None


def _unknown(node: exp.Expr) -> ExpressionError:
    return ExpressionError(f"{node.sql(DIALECT)} cannot be evaluated without Spark")


def truth(condition: Condition, row: Row) -> bool | None:  # noqa: PLR0911 - one form a kind
    """Return whether a condition is true for a row; ``None`` if that is unknown."""
    match condition:
        case AllOf():
            values = {truth(part, row) for part in condition.parts}
            return False if False in values else None if None in values else True
        case AnyOf():
            values = {truth(part, row) for part in condition.parts}
            return True if True in values else None if None in values else False
        case Comparison():
            return compare(
                _value_of_operand(condition.left, row), condition.operator, _value_of_operand(condition.right, row)
            )
        case InList():
            value = _value_of_operand(condition.operand, row)
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


def _value_of_operand(operand: Operand, row: Row) -> Any:
    if isinstance(operand, Field):
        return value_at(row, operand.path)
    if isinstance(operand, Length):
        text = value_at(row, operand.path)
        if text is None or isinstance(text, (str, bytes)):
            return None if text is None else len(text)
        msg = f"only Spark knows the length of {text!r}"
        raise ExpressionError(msg)
    return operand.value


_OPERATORS: Mapping[Comparator, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compare(left: Any, comparator: Comparator, right: Any) -> bool | None:
    """Return how two values of rows or literals compare, as Spark compares them; ``None`` if one is NULL."""
    if left is None or right is None:
        return None
    pair = _alike(left, right)
    if pair is None:
        msg = f"only Spark can compare {left!r} with {right!r}"
        raise ExpressionError(msg)
    return _OPERATORS[comparator](*pair)


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


def _moment(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return in_utc(value)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - compared with others without a time zone
    return moment_of(value) if isinstance(value, str) else None


def _ordered(number: float) -> tuple[bool, float]:
    """Return a number so that NaN equals itself and is greater than all others."""
    return (True, 0.0) if isnan(number) else (False, number)


def like(pattern: str, text: object) -> bool:
    """Whether a text is like a pattern, in which ``%`` is any text and ``_`` one character."""
    if not isinstance(text, str):
        msg = f"{text!r} is not a string"
        raise ExpressionError(msg)
    return _pattern(pattern).fullmatch(text) is not None


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern that takes what is between two ``%`` where it comes first, and never looks for it again."""
    first, *between = pattern.split("%")
    last = f".*{_characters(between.pop())}" if between else ""
    skips = (f"(?=(?P<to_{index}>.*?{_characters(part)}))(?P=to_{index})" for index, part in enumerate(between))
    return re.compile(f"{_characters(first)}{''.join(skips)}{last}", re.DOTALL)


def _characters(pattern: str) -> str:
    return "".join("." if character == "_" else re.escape(character) for character in pattern)


_REPEATED = r"(?:[*+?]|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})?"
_OF_CLASS = "A-Za-z0-9 _.@:,;/+*="
_IN_CLASS = rf"(?:[{_OF_CLASS}](?:-[A-Za-z0-9])?)+-?"
_PLAIN_PATTERN = re.compile(
    rf"(?:[\^$(|]|(?:\[\^?{_IN_CLASS}\]|[A-Za-z0-9 _@:,;/=<>%#~!.)-]){_REPEATED}(?![*+?{{]))*", re.ASCII
)
"""Patterns that Java and Python read alike: characters, classes of them, groups, choices, repetitions and anchors."""

_LINE_ENDS = frozenset("\n\r\x85\u2028\u2029")


def _matches(text: Any, pattern: Any) -> bool:
    """Whether a part of a text matches a regular expression; Java and Python know different ends of lines."""
    _require(isinstance(text, str) and isinstance(pattern, str) and _LINE_ENDS.isdisjoint(text))
    _require(_PLAIN_PATTERN.fullmatch(pattern) is not None)
    with suppress(re.error):
        return re.search(pattern, text) is not None
    msg = f"{pattern} is not a regular expression"
    raise ExpressionError(msg)


def _size(value: Any) -> int:
    _require(isinstance(value, (list, dict)))
    return len(value)


def _part_of_date(name: str) -> Callable[[Any], int]:
    return lambda value: int(getattr(_to_date(value), name))


def _arithmetic(function: Callable[..., Any]) -> Callable[..., Any]:
    def compute(*values: Any) -> Any:
        _require_numbers(*values)
        return _in_range(function(*values))

    return compute


def _divided(left: Any, right: Any) -> float:
    _require_numbers(left, right)
    _require(right != 0)
    return float(left) / float(right)


def _quotient(left: Any, right: Any) -> int:
    _require(type(left) is int and type(right) is int and right != 0)
    _in_range(left)
    quotient: int = abs(left) // abs(_in_range(right))
    return quotient if (left < 0) == (right < 0) else -quotient


def _concatenated(*texts: Any) -> str:
    _require(all(isinstance(text, str) for text in texts))
    return "".join(texts)


def _in_case(function: Callable[[str], str]) -> Callable[[Any], str]:
    def convert(text: Any) -> str:
        _require(isinstance(text, str) and text.isascii())
        return function(text)

    return convert


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


def _require(holds: bool) -> None:  # noqa: FBT001 - the fact is the argument
    if not holds:
        msg = "the value for these arguments is known to Spark only"
        raise ExpressionError(msg)


def _require_numbers(*values: Any) -> None:
    """Require whole numbers, or doubles; the types of decimals depend on their columns."""
    _require(all(type(value) in (int, float) for value in values))


def _in_range(value: Any) -> Any:
    _require(isinstance(value, float) or abs(value) < INT_LIMIT)
    return value


FUNCTIONS: Final[dict[type[exp.Expr], Callable[..., Any]]] = {
    exp.Abs: _arithmetic(abs),
    exp.Add: _arithmetic(operator.add),
    exp.ArraySize: _size,
    exp.Concat: _concatenated,
    exp.CurrentDate: _today,
    exp.CurrentTimestamp: _now,
    exp.DPipe: _concatenated,
    exp.Day: _part_of_date("day"),
    exp.DayOfMonth: _part_of_date("day"),
    exp.Div: _divided,
    exp.IntDiv: _quotient,
    exp.Length: _length,
    exp.Lower: _in_case(str.lower),
    exp.Mod: lambda left, right: int(left - right * _quotient(left, right)),
    exp.Month: _part_of_date("month"),
    exp.Mul: _arithmetic(operator.mul),
    exp.Neg: _arithmetic(operator.neg),
    exp.RegexpLike: _matches,
    exp.Sub: _arithmetic(operator.sub),
    exp.Substring: _part,
    exp.Trim: _trimmed,
    exp.TsOrDsToDate: _to_date,
    exp.Upper: _in_case(str.upper),
    exp.Year: _part_of_date("year"),
}
"""What is evaluated for arguments of which none is NULL; with one, the value is NULL, or for a size known to Spark."""

CASTS: Final[dict[str, Callable[[Any], Any]]] = {
    "DATE": _to_date,
    "TEXT": _to_text,
    "INT": _to_int,
    "BIGINT": _to_int,
}
"""The casts that are evaluated, by the name that sqlglot gives to the type."""
