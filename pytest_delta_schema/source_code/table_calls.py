"""Find the call that declares a table in the text of a file."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.source_code.canonical import FROM_STRUCT
from pytest_delta_schema.source_code.imports import bound_names
from pytest_delta_schema.source_code.literals import given_arguments, why_not_literal
from pytest_delta_schema.source_code.source_text import NotLiteralError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.source_code.calls import Variable, Variables
    from pytest_delta_schema.source_code.imports import Names
    from pytest_delta_schema.source_code.source_text import SourceText

_REPEATED = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.For, ast.AsyncFor, ast.While),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""Code that may run several times, so one call declares several tables."""

_NAME_PARTS = ("catalog_name", "schema_name", "table_name")


def table_call_node(source: SourceText, names: Names, line: int, name: QualifiedName) -> ast.Call:
    """Return the call at a line, or of the statement that begins there, which declares a table.

    Raises:
        NotLiteralError: If there is not exactly one, or it may run several times.
    """
    candidates = [
        (call, repeated)
        for statement, call, repeated in _calls(source.tree)
        if line in {call.lineno, statement}
        and names.called(call.func) in {"Table", FROM_STRUCT}
        and _may_declare(call, names, name)
    ]
    if len(candidates) > 1:
        raise NotLiteralError(line, f"has several calls of Table that may declare {name}")
    if not candidates:
        others = [call for _, call, _ in _calls(source.tree) if call.lineno == line]
        raise NotLiteralError(
            line, why_not_literal(others[0]) if others else f"has no call of Table that declares {name}"
        )
    call, repeated = candidates[0]
    if repeated is not None:
        raise NotLiteralError(getattr(repeated, "lineno", line), why_not_literal(repeated))
    return call


def _calls(tree: ast.Module) -> Iterator[tuple[int, ast.Call, ast.AST | None]]:
    """Yield calls, each with the line of its statement, and the code around it that may run several times."""
    todo: list[tuple[int, ast.AST, ast.AST | None]] = [(0, tree, None)]
    while todo:
        line, node, repeated = todo.pop()
        if isinstance(node, ast.stmt):
            line = node.lineno
        if isinstance(node, ast.Call):
            yield line, node, repeated
        if isinstance(node, _REPEATED):
            repeated = node
        todo.extend((line, child, repeated) for child in ast.iter_child_nodes(node))


def _may_declare(call: ast.Call, names: Names, name: QualifiedName) -> bool:
    """Whether the parts of the name that are written out are those of a table."""
    given = dict(given_arguments(call, names.called(call.func)))
    written = [(given.get(parameter), part) for parameter, part in zip(_NAME_PARTS, name, strict=True)]
    return all(folded(str(node.value)) == part for node, part in written if isinstance(node, ast.Constant))


def variables_above(source: SourceText, line: int, variables: Variables) -> dict[QualifiedName, Variable]:
    """Return the variables that have their values before a line runs."""
    bound = bound_names(node for node in source.tree.body if (node.end_lineno or node.lineno) < line)
    return {name: variable for name, variable in variables.items() if variable.name in bound}
