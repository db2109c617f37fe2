"""Find operators that sqlglot groups in a different way than Spark, where no parentheses say how.

Spark (4.2.0) has one level for all comparisons, ``||`` is on the level of ``+``, and what follows a comparison, such as
``IN`` or ``IS NULL``, belongs to the whole of it: ``a = b IN (c)`` is ``(a = b) IN (c)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.sqlglot_compat import exp

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREDICATE = 1
_LEVELS: dict[type[exp.Expr], int] = {
    kind: level
    for level, kinds in enumerate(
        (
            (exp.Escape,),
            # NOT is one as an operand: `x NOT IN (y)` is read as `NOT (x IN (y))`.
            (exp.Between, exp.ILike, exp.In, exp.Is, exp.Like, exp.Not, exp.RegexpLike, exp.NullSafeNEQ),
            (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NEQ),
            (exp.BitwiseOr,),
            (exp.BitwiseXor,),
            (exp.BitwiseAnd,),
            (exp.BitwiseLeftShift, exp.BitwiseRightShift),
            (exp.Add, exp.DPipe, exp.Sub),
            (exp.Div, exp.IntDiv, exp.Mod, exp.Mul),
            (exp.BitwiseNot, exp.Collate, exp.Neg),
        )
    )
    for kind in kinds
}
"""The operators of Spark below AND and OR, the weakest first."""

_HIGHEST = len(_LEVELS)
# `<=>` is a comparison, and IS NOT DISTINCT FROM, for which sqlglot has the same node, is a predicate.
_LEVELS[exp.NullSafeEQ] = _PREDICATE


def is_grouped_as_in_spark(node: exp.Expr) -> bool:
    """Whether Spark groups the operators of a syntax tree in the same way, for all that is known."""
    return not any(_differs(part) for part in node.walk() if type(part) in _LEVELS and not isinstance(part, exp.Not))


def _differs(node: exp.Expr) -> bool:
    level = _LEVELS[type(node)]
    left, *others = (_level(operand) for operand in _operands(node))
    least = level + 1 if level == _PREDICATE else level
    return left < least or any(other <= level for other in others)


def _operands(node: exp.Expr) -> Iterator[exp.Expr]:
    keys = ("this",) if isinstance(node, exp.In) else ("this", "expression", "low", "high")
    return (operand for key in keys if isinstance(operand := node.args.get(key), exp.Expr))


def _level(operand: exp.Expr) -> int:
    return _LEVELS.get(type(operand), _HIGHEST)
