"""Refuse to evaluate arithmetic whose result depends on the types of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.sqlglot_compat import DIALECT, exp
from pytest_delta_schema.state.expressions.error import ExpressionError
from pytest_delta_schema.state.expressions.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

_NARROW = frozenset({"tinyint", "smallint", "float"})
_UNARY = (exp.Abs, exp.Neg)
_BINARY = (exp.Add, exp.Mod, exp.Mul, exp.Sub)


def require_wide(text: str, types: Mapping[str, object]) -> None:
    """Make sure that no part of an expression is computed as a ``tinyint``, ``smallint`` or ``float``.

    Types of columns are by name in lower case.

    Raises:
        ExpressionError: If one is: Spark refuses what does not fit in such a number, or rounds to it.
    """
    if _NARROW.isdisjoint(map(str, types.values())):
        return
    node = parse(text)
    for part in () if node is None else node.find_all(*_UNARY, *_BINARY):
        if _is_narrow(part, types):
            msg = f"{part.sql(DIALECT)} is computed in the type of its columns, and cannot be evaluated without Spark"
            raise ExpressionError(msg)


def _is_narrow(node: exp.Expr, types: Mapping[str, object]) -> bool:
    node = node.unnest()
    if isinstance(node, exp.Column):
        return len(node.parts) == 1 and types.get(folded(node.name)) in _NARROW
    if isinstance(node, _BINARY):
        return _is_narrow(node.this, types) and _is_narrow(node.expression, types)
    return isinstance(node, _UNARY) and _is_narrow(node.this, types)
