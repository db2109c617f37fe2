"""Find and rename the columns that an expression uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pytest_delta_schema.delta.column_path import ColumnPath
from pytest_delta_schema.delta.folded_names import folded
from pytest_delta_schema.state.expressions.parsing import DIALECT, parse

if TYPE_CHECKING:
    from collections.abc import Mapping


def paths_in(text: str) -> tuple[ColumnPath, ...]:
    """Return the paths of the columns of an expression; see :func:`pytest_delta_schema.state.expressions.paths_in`."""
    node = parse(text)
    if node is None:
        return ()
    arguments = {
        folded(argument.name) for scope in node.find_all(exp.Lambda) for argument in scope.expressions if argument.name
    }
    chains = [_chain(column) for column in node.find_all(exp.Column)]
    paths = [ColumnPath(*(folded(part.name) for part in chain)) for chain in chains]
    return tuple(path for path in paths if path.root not in arguments)


def with_columns(text: str, names: Mapping[ColumnPath, str]) -> str:
    """Return an expression with renamed columns; see :func:`pytest_delta_schema.state.expressions.with_columns`."""
    node = parse(text)
    if node is None:
        return text
    tree = node.copy()
    for column in list(tree.find_all(exp.Column)):
        chain = _chain(column)
        path = ColumnPath(*(part.name for part in chain))
        for prefix, part in zip(path.prefixes(), chain, strict=True):
            name = names.get(prefix)
            if name is not None:
                part.replace(exp.to_identifier(name, quoted=True))
    return tree.sql(dialect=DIALECT)


def _chain(column: exp.Column) -> list[exp.Expr]:
    """Return the parts of a column's name, and the fields that are read from it."""
    chain: list[exp.Expr] = list(column.parts)
    last: exp.Expr = column
    while isinstance(last.parent, exp.Dot) and last.parent.this is last:
        last = last.parent
        chain.append(last.expression)
    return chain
