"""Write expressions in a canonical form, in which equal expressions are equal texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.escaping import escaped_literals
from pytest_delta_schema.sqlglot_compat import exp
from pytest_delta_schema.state.expressions.parsing import folded_tokens, parse_exactly

if TYPE_CHECKING:
    from collections.abc import Iterator

_FLIPPED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
}


def canonical(text: str) -> str:
    """Return an expression in canonical form; see :func:`pytest_delta_schema.state.expressions.canonical`."""
    text = escaped_literals(text)
    node = parse_exactly(text)
    return folded_tokens(text) if node is None else _write(node)


def simplified(text: str) -> str:
    """Return an expression in its simplest form; see :func:`pytest_delta_schema.state.expressions.simplified`."""
    node = parse_exactly(escaped_literals(text))
    return canonical(text) if node is None else _write(_plain(node), ordered=False)


def _write(node: object, *, ordered: bool = True) -> str:  # noqa: PLR0911 - one form a kind of node
    def write(part: object) -> str:
        return _write(part, ordered=ordered)

    match node:
        case exp.Paren():
            return write(node.this)
        case exp.Connector():
            operands = [write(operand) for operand in _operands(node, type(node))]
            return f"{type(node).__name__}({', '.join(operands if ordered else sorted(operands))})"
        case exp.Identifier():
            return f"`{folded(node.name)}`"
        case exp.Literal():
            return repr(node.name) if node.is_string else node.name.lower()
        case exp.Anonymous():
            return f"{node.name.lower()}({', '.join(map(write, node.expressions))})"
        case exp.Expr():
            parts = [f"{key}={write(value)}" for key, value in sorted(node.args.items()) if value]
            return f"{type(node).__name__}({', '.join(parts)})"
        case list():
            return f"[{', '.join(map(write, node))}]"
    return str(node)


def _operands(node: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the operands of a chain of AND, or of OR, without its parentheses."""
    node = node.unnest()
    if type(node) is kind:
        yield from _operands(node.this, kind)
        yield from _operands(node.expression, kind)
    else:
        yield node


def _plain(node: exp.Expr) -> exp.Expr:
    """Return one tree for all forms: no ``between``, and literals on the right of comparisons."""
    # The root may be replaced, too, so it gets a parent.
    root = exp.Paren(this=node.copy())
    for between in list(root.find_all(exp.Between)):
        subject = between.this
        low = exp.GTE(this=subject.copy(), expression=between.args["low"])
        high = exp.LTE(this=subject, expression=between.args["high"])
        between.replace(exp.Paren(this=exp.And(this=low, expression=high)))
    for comparison in list(root.find_all(*_FLIPPED)):
        left, right = comparison.this.unnest(), comparison.expression.unnest()
        if _rank(left) > _rank(right):
            comparison.replace(_FLIPPED[type(comparison)](this=right, expression=left))
    plain: exp.Expr = root.this
    return plain.copy()


def _rank(node: exp.Expr) -> tuple[bool, str]:
    return isinstance(node, (exp.Literal, exp.Neg, exp.Boolean)), _write(node)
