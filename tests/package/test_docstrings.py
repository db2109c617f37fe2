"""Sections for arguments are for public names; a docstring of an internal says in a sentence what is not evident."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest_delta_schema.testing
import pytest_delta_schema.testing.unity
from support.documentation.json_schemas import report_schema, state_schema
from support.signatures import signatures
from support.structure import ROOT, modules_of

if TYPE_CHECKING:
    from collections.abc import Iterator

GIVEN_BY_FIXTURES = {"Effect", "SchemaChange"}
"""The classes of what fixtures give to tests; no package exports them."""

WHOLE_FORMS = {"RunReport", "TableState"}
"""The classes of whole JSON forms; those of their parts are definitions of the schemas, which docstrings describe."""


def public_names() -> set[str]:
    """Return the names of functions and classes that users see, apart from hooks; each is used once in the package."""
    packages = {name for name in modules_of(ROOT) if name.startswith("pytest_delta_schema")}
    names = {*GIVEN_BY_FIXTURES, *WHOLE_FORMS, *report_schema()["$defs"], *state_schema()["$defs"]}
    for line in signatures():
        home, rest = "", line.partition("(")[0].removeprefix("fixture ").partition(" ")[0].split(".")
        while rest[1:] and f"{home}{rest[0]}" in packages:
            home += f"{rest.pop(0)}."
        names.add(rest[0])
    return names.union(pytest_delta_schema.testing.__all__, pytest_delta_schema.testing.unity.__all__)


def described(node: ast.AST, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of functions and classes whose docstring has a section for arguments."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from described(child, path)
            continue
        if "Args:" in (ast.get_docstring(child) or "").splitlines():
            yield (*path, child.name)
        yield from described(child, (*path, child.name))


def is_public(path: tuple[str, ...], names: set[str]) -> bool:
    """Whether users see a function, a class, or a method."""
    return (path[0] in names or path[0].startswith("pytest_")) and not any(part.startswith("_") for part in path)


def test_sections_for_arguments_are_for_public_names():
    names = public_names()

    assert [
        f"{module.path}: {'.'.join(path)}"
        for module in modules_of(ROOT).values()
        for path in described(module.tree)
        if not is_public(path, names)
    ] == []
