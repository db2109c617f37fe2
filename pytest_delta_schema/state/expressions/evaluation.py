"""Evaluate expressions for rows, without Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.executor.python import PythonExecutor
from sqlglot.executor.table import ensure_tables
from sqlglot.optimizer import optimize
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.canonicalize import canonicalize
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.qualify_columns import quote_identifiers
from sqlglot.planner import Plan

from pytest_delta_schema.state.expressions.condition_parsing import condition_of, path_of
from pytest_delta_schema.state.expressions.conditions import is_understood
from pytest_delta_schema.state.expressions.error import ExpressionError
from pytest_delta_schema.state.expressions.parsing import DIALECT
from pytest_delta_schema.state.expressions.truth import truth, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_RULES = (qualify, quote_identifiers, annotate_types, canonicalize)
"""The rules of sqlglot's optimizer that its executor needs."""


def evaluate(text: str, rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> list[Any]:
    """Return the value of an expression for each row; see :func:`pytest_delta_schema.state.expressions.evaluate`."""
    names = list(columns)
    table = [{name: row.get(name) for name in names} for row in rows]
    if not table:
        return []
    try:
        node = sqlglot.parse_one(text, dialect=DIALECT)
        path = path_of(node)
        if path is not None:
            return [value_of(row, path) for row in table]
        # sqlglot parses Spark's CAST as TRY_CAST, which its executor does not support.
        for cast in list(node.find_all(exp.TryCast)):
            plain = exp.Cast(this=cast.this, to=cast.to)
            node = plain if cast is node else node
            cast.replace(plain)
        query = exp.select(exp.alias_(exp.paren(node), "holds", quoted=True)).from_("t")
        answers = _execute(query, table)
    except (SqlglotError, ArithmeticError, AttributeError, TypeError, ValueError) as error:
        raise ExpressionError(str(error)) from error
    return [row[0] for row in answers.rows]


def unmet(text: str, rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> list[int]:
    """Return the rows that do not meet a condition; see :func:`pytest_delta_schema.state.expressions.unmet`."""
    condition = condition_of(text)
    if is_understood(condition):
        values: list[Any] = [truth(condition, row) for row in rows]
    else:
        values = evaluate(text, rows, columns)
    return [index for index, value in enumerate(values) if value is not True]


def _execute(query: exp.Select, rows: list[dict[str, Any]]) -> Any:
    """Run a query over the table ``t``, as ``sqlglot.executor.execute`` does, but without its simplifications.

    sqlglot 30.30 simplifies ``a >= 0 OR a > 0`` to ``a > 0``.
    """
    types = {
        name: annotate_types(exp.convert(value), dialect=DIALECT).type or type(value).__name__
        for name, value in rows[0].items()
    }
    plan = Plan(optimize(query, {"t": types}, dialect=DIALECT, rules=_RULES, leave_tables_isolated=True))
    executor: Any = PythonExecutor
    return executor(tables=ensure_tables({"t": rows}, dialect=DIALECT)).execute(plan)
