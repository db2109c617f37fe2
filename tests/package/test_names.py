"""One name once: a public name of the package is defined in one module, so that a search finds one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "pytest_delta_schema"

SEVERAL = {
    "BACKEND": "each backend exports itself under the name that the registry reads",
    "CAPABILITIES": "the record of each backend",
    "RENDERERS": "each aspect registers its statements under the name that the compiler reads",
    "SUMMARY": "part of the interface of a command",
    "VERSIONS": "the versions with which a compat module was tested",
    "add_arguments": "part of the interface of a command",
    "main": "the entry point of a process",
    "run": "part of the interface of a command; and what runs a program",
    "text": "a text for a page, as HTML and as Markdown",
}
"""Public names that several modules define, with the reason."""


def names(tree: ast.Module) -> set[str]:
    """Return the public functions, classes and values that a module defines, without type variables."""
    defined = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined.add(node.name)
        elif isinstance(node, ast.Assign) and not ast.unparse(node.value).startswith("TypeVar("):
            defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            defined.add(node.target.id)
    return {name for name in defined if not name.startswith("_")}


def modules_by_name() -> dict[str, list[str]]:
    """Return the modules of each name; those of the scenarios and of the server that tests start are not looked at.

    The entry module of a folder may offer a function of a module below it under the same name, to import it late.
    """
    modules = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if PACKAGE / "testing" not in path.parents:
            for name in names(ast.parse(path.read_text("utf-8"))):
                modules[name].append(path)
    return {
        name: [
            str(path.relative_to(PACKAGE))
            for path in paths
            if path.name != "__init__.py" or not any(path.parent in other.parents for other in paths if other != path)
        ]
        for name, paths in modules.items()
    }


def test_a_public_name_is_defined_once():
    repeated = {name: paths for name, paths in modules_by_name().items() if len(paths) > 1}

    assert {name: paths for name, paths in repeated.items() if name not in SEVERAL} == {}
    assert sorted(SEVERAL) == sorted(repeated)
