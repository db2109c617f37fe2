"""Prove by the trees of a Python file that an edit changes what it is meant to change, and nothing else."""

from __future__ import annotations

import ast
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.source_code.literals import PACKAGES
from pytest_delta_schema.source_code.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_OTHER_PARTS = "its edit would change other parts of it, too; write the model by hand"


def require_statements(content: bytes, expected: Sequence[ast.stmt]) -> None:
    """Make sure that a file has exactly some statements."""
    if not same_code(expected, SourceText(content).tree.body):
        raise DeclarationError(_OTHER_PARTS)


def require_edited_call(
    source: SourceText, content: bytes, call: ast.Call, code: str, imported: Mapping[str, Iterable[str]]
) -> None:
    """Make sure that a file differs from an older text in one call, and in further names that it imports."""
    after = SourceText(content).tree
    added = Counter((package, name, None) for package, names in imported.items() for name in names)
    replaced = {id(call): ast.parse(f"({code})", mode="eval").body}
    is_same = same_code(_without_imports(source.tree), _without_imports(after), replaced)
    if not is_same or _imports(after) != _imports(source.tree) + added:
        raise DeclarationError(_OTHER_PARTS)


def _imports(tree: ast.Module) -> Counter[tuple[str | None, str, str | None]]:
    nodes = [node for node in tree.body if _is_import(node)]
    return Counter((node.module, part.name, part.asname) for node in nodes for part in node.names)  # type: ignore[attr-defined]  # as it says


def _without_imports(tree: ast.Module) -> list[ast.stmt]:
    return [node for node in tree.body if not _is_import(node)]


def _is_import(node: ast.stmt) -> bool:
    """Whether a statement imports names that declarations use."""
    return isinstance(node, ast.ImportFrom) and node.module in PACKAGES


def same_code(one: object, other: object, replaced: Mapping[int, ast.AST] = MappingProxyType({})) -> bool:
    """Whether two parts of trees are the same code."""
    todo = [(one, other)]
    while todo:
        left, right = todo.pop()
        if isinstance(left, ast.AST):
            left = replaced.get(id(left), left)
            if type(left) is not type(right):
                return False
            todo += [(getattr(left, name, None), getattr(right, name, None)) for name in left._fields]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            todo += zip(left, right, strict=True)
        elif type(left) is not type(right) or repr(left) != repr(right):
            # The text of a number tells -0.0 from 0.0, and finds one that is not a number.
            return False
    return True
