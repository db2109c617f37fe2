"""Evaluate expressions for rows, without Spark: only what gives Spark's value, everything else is an error."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.sqlglot_compat import DIALECT, exp
from pytest_delta_schema.state.expressions.condition_parsing import COMPARATORS, condition_of_node, literal_of, path_of
from pytest_delta_schema.state.expressions.conditions import is_understood
from pytest_delta_schema.state.expressions.error import ExpressionError
from pytest_delta_schema.state.expressions.functions import CASTS, FUNCTIONS
from pytest_delta_schema.state.expressions.parsing import parse_exactly
from pytest_delta_schema.state.expressions.row_paths import value_at
from pytest_delta_schema.state.expressions.truth import compare, truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    return [_value(node, {name: row.get(name) for name in known}) for row in table]


def failing_rows(text: str, rows: Iterable[Row], columns: Iterable[str]) -> list[int]:
    """Return the rows that do not meet a condition; see :func:`pytest_delta_schema.state.expressions.failing_rows`."""
    return [index for index, value in enumerate(evaluate(text, rows, columns)) if value is not True]


def _value(node: exp.Expr, row: Row) -> Any:  # noqa: PLR0911 - one form a kind of node
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
    if isinstance(node, (exp.Predicate, exp.Not, exp.Connector, exp.Anonymous)):
        return _holds(node, row)
    if isinstance(node, exp.If):
        return _chosen([(node.this, node.args["true"])], node.args.get("false"), row)
    if isinstance(node, exp.Case) and node.this is None:
        return _chosen([(case.this, case.args["true"]) for case in node.args["ifs"]], node.args.get("default"), row)
    if isinstance(node, exp.Coalesce):
        values = [_value(argument, row) for argument in (node.this, *node.expressions)]
        _require_one_type(values, node)
        return next((value for value in values if value is not None), None)
    if isinstance(node, exp.Array):
        items = [_value(item, row) for item in node.expressions]
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


def _holds(node: exp.Expr, row: Row) -> Any:  # noqa: PLR0911 - as above
    condition = condition_of_node(node)
    if is_understood(condition):
        return truth(condition, row)
    if isinstance(node, (exp.And, exp.Or)):
        sides = {_boolean(node.this, row), _boolean(node.expression, row)}
        decisive = isinstance(node, exp.Or)
        return decisive if decisive in sides else None if None in sides else not decisive
    if isinstance(node, exp.Not):
        value = _boolean(node.this, row)
        return None if value is None else not value
    comparator = COMPARATORS.get(type(node))
    if comparator is not None:
        return compare(_value(node.this, row), comparator, _value(node.expression, row))
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return _value(node.this, row) is None
    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        value = _value(node.this, row)
        low = compare(value, ">=", _value(node.args["low"], row))
        high = compare(value, "<=", _value(node.args["high"], row))
        return False if False in (low, high) else None if None in (low, high) else True
    if isinstance(node, exp.In) and node.expressions:
        value = _value(node.this, row)
        answers = {compare(value, "=", _value(item, row)) for item in node.expressions}
        return True if True in answers else None if None in answers else False
    raise _unknown(node)


def _boolean(node: exp.Expr, row: Row) -> bool | None:
    value = _value(node, row)
    if value is not None and not isinstance(value, bool):
        raise _unknown(node)
    return value


def _chosen(cases: list[tuple[exp.Expr, exp.Expr]], default: exp.Expr | None, row: Row) -> Any:
    last = None if default is None else _value(default, row)
    values = [_value(result, row) for _, result in cases]
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
    cast, value = CASTS.get(node.to.this.name), _value(node.this, row)
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
    values = [_value(argument, row) for argument in arguments]
    if None in values:
        return None
    try:
        return function(*values)
    except (ExpressionError, TypeError, OverflowError):
        raise _unknown(node) from None


def _unknown(node: exp.Expr) -> ExpressionError:
    return ExpressionError(f"{node.sql(DIALECT)} cannot be evaluated without Spark")
