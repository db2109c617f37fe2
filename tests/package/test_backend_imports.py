"""Backends are written with the kit and public packages alone, as those of other distributions are."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

from support.reference import public

ROOT = Path(__file__).parents[2]
PACKAGE = "pytest_delta_schema"
KIT = f"{PACKAGE}.backends.kit"
ERRORS = f"{PACKAGE}.diagnostics.errors"
LAZY = f"from {PACKAGE}._lazy import lazy_exports"
"""How packages of this distribution export their names."""


def is_public(home, name):
    """Whether a name is one of the kit, of a public package, or one of the errors."""
    module = import_module(home)
    return name in (public(home.removeprefix(f"{PACKAGE}.")) if home == ERRORS else getattr(module, "__all__", ()))


def private_imports(folder, text):
    """Return what a module imports from the package and is neither public nor in its own folder."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    private = []
    for node in nodes:
        pairs = [(str(getattr(node, "module", None) or alias.name), alias.name) for alias in node.names]
        private += [
            f"{home}.{name}"
            for home, name in pairs
            if home.partition(".")[0] == PACKAGE
            and not f"{home}.".startswith(f"{folder}.")
            and ast.unparse(node) != LAZY
            and not is_public(home, name)
        ]
    return private


def test_the_databricks_backend_uses_the_kit_and_public_packages():
    folder = f"{PACKAGE}.backends.databricks"
    files = sorted(ROOT.joinpath(*folder.split(".")).glob("*.py"))

    private = {file.name: private_imports(folder, file.read_text("utf-8")) for file in files}

    assert "backend.py" in private
    assert {name: names for name, names in private.items() if names} == {}


def test_the_example_of_another_distribution_uses_them_too():
    text = (ROOT / "examples" / "backend" / "folder_catalog.py").read_text("utf-8")

    assert f"from {KIT} import" in text
    assert private_imports("folder_catalog", text) == []
