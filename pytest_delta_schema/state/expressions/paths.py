"""Find and rename the columns that an expression uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.sqlglot_compat import exp
from pytest_delta_schema.state.expressions.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def paths_in(text: str) -> tuple[ColumnPath, ...]:
    """Return the paths of the columns of an expression; see :func:`pytest_delta_schema.state.expressions.paths_in`."""
    node = parse(text)
    if node is None:
        return ()
    return tuple(ColumnPath(*(folded(part.name) for part in chain)) for chain in _chains(node))


def with_columns(text: str, names: Mapping[ColumnPath, str]) -> str:
    """Return an expression with renamed columns; see :func:`pytest_delta_schema.state.expressions.with_columns`."""
    node = parse(text)
    if node is None:
        return text
    replaced: dict[int, tuple[int, str]] = {}
    for chain in _chains(node):
        path = ColumnPath(*(part.name for part in chain))
        for prefix, part in zip(path.prefixes(), chain, strict=True):
            name = names.get(prefix)
            if name is not None:
                if "start" not in part.meta:
                    return text  # sqlglot does not say where a field named true, false or null is
                # Offsets are those of the text behind one bracket.
                replaced[part.meta["start"] - 1] = part.meta["end"], identifier(name)
    written = text
    for start, (end, name) in sorted(replaced.items(), reverse=True):
        written = f"{written[:start]}{name}{written[end:]}"
    return written


def _chains(node: exp.Expr) -> Iterator[list[exp.Expr]]:
    """Yield the names that lead to each column, or field of a struct, of an expression."""
    for column in node.find_all(exp.Column):
        chain = _chain(column)
        if not _is_argument(column, folded(chain[0].name)):
            yield chain


def _is_argument(column: exp.Column, name: str) -> bool:
    """Whether a name is an argument of a lambda around it."""
    scope = column.find_ancestor(exp.Lambda)
    while scope is not None:
        if any(folded(argument.name) == name for argument in scope.expressions):
            return True
        scope = scope.find_ancestor(exp.Lambda)
    return False


def _chain(column: exp.Column) -> list[exp.Expr]:
    """Return the parts of a column's name, and the fields that are read from it."""
    chain: list[exp.Expr] = list(column.parts)
    last: exp.Expr = column
    while isinstance(last.parent, exp.Dot) and last.parent.this is last:
        last = last.parent
        chain.append(last.expression)
    return chain
