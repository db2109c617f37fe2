"""Find variables of test files that hold tables which nothing collects and nothing reads."""

from __future__ import annotations

import ast
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeGuard, cast

import pytest

from pytest_delta_schema.diagnostics.escaping import printed_line
from pytest_delta_schema.engine.held_tables import CONTAINERS, held_tables
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plugin.collection.table_variables import LISTED

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import ModuleType


_TEST_FILES = ("test_*.py", "*_test.py")
"""What pytest collects by default."""


class UnreadVariable(NamedTuple):
    """A variable whose tables no check covers, probably because it has another name than ``delta_tables``."""

    message: str
    line: int


def is_test_file(path: Path) -> bool:
    """Whether a file has a name that pytest collects by default, so its tables may serve only its tests."""
    return any(map(path.match, _TEST_FILES))


def unread_variable(
    module: ModuleType, name: str, value: object, collected_elsewhere: Collection[Path]
) -> UnreadVariable | None:
    """Return a variable that was meant to be checked; ``None`` if something reads it, or its tables are checked.

    Tests may well keep tables for their own assertions. Only what no line of the file reads, and no other module has
    imported, is certain to be one that should be checked.

    Tables in the files of the setting ``models`` are checked there.
    """
    tables = _only_tables(module, name, value)
    if not tables:
        return None
    path = Path(str(module.__file__))
    known = vars(module).get(LISTED) if is_test_file(path) else list(vars(module).values())
    checked = set(map(id, held_tables(known)))
    missed = [
        table
        for table in tables.values()
        if id(table) not in checked and Path(table.origin.path) not in collected_elsewhere
    ]
    if not missed or _is_imported(module, name, value):
        return None
    line = _unread_line(path, name)
    if line is None:
        return None
    names = ", ".join(dict.fromkeys(table.qualified_name for table in missed))
    fact = f"{name} holds tables that are not checked, and nothing reads it: {names}"
    listed = name if issubclass(type(value), CONTAINERS) else f"[{', '.join(tables)}]"
    remedy = f"write {LISTED} = {listed} to check them, or declare them in a module of the setting models"
    return UnreadVariable(f"{fact}; {remedy}", line)


def warn_where_assigned(module: pytest.Module, variable: UnreadVariable) -> None:
    """Warn of a variable, as pytest does of test classes that it cannot collect; the warning can be filtered.

    Raises:
        CollectError: If the project turns warnings into errors.
    """
    warning = pytest.PytestCollectionWarning(printed_line(variable.message))
    try:
        warnings.warn_explicit(warning, category=None, filename=str(module.path), lineno=variable.line)
    except pytest.PytestCollectionWarning as error:
        msg = f"{module.path.name}:{variable.line}: {error}"
        raise module.CollectError(msg) from None


def warn_of_conftests(config: pytest.Config) -> None:
    """Warn of ``delta_tables`` in a conftest file, from which nothing is collected.

    Raises:
        UsageError: If the project turns warnings into errors.
    """
    for plugin in config.pluginmanager.get_plugins():
        path = Path(getattr(plugin, "__file__", None) or "")
        held = vars(plugin).get(LISTED) if path.name == "conftest.py" else None
        if held is not None and held_tables(held):
            fact = f"{LISTED} is read in test files, and not in a conftest file; move it to a test file"
            line = _unread_line(path, LISTED) or 1
            try:
                warnings.warn_explicit(pytest.PytestCollectionWarning(fact), None, str(path), line)
            except pytest.PytestCollectionWarning as error:
                msg = f"{path}:{line}: {error}"
                raise pytest.UsageError(msg) from None


def _only_tables(module: ModuleType, name: str, value: object) -> dict[str, Table]:
    """Return a table, or those of a list, a dictionary or a class that holds nothing else, by what refers to them."""
    if issubclass(type(value), Table):
        table = cast("Table", value)
        return {name: table} if Path(table.origin.path) == Path(str(module.__file__)) else {}
    if issubclass(type(value), CONTAINERS):
        return {f"{name}[{index}]": table for index, table in enumerate(held_tables(value, or_nothing=True))}
    if not issubclass(type(value), type) or value.__module__ != module.__name__:
        return {}
    held = {attribute: item for attribute, item in vars(value).items() if not attribute.startswith("__")}
    are_tables = all(issubclass(type(item), Table) for item in held.values())
    return {f"{name}.{attribute}": item for attribute, item in held.items()} if are_tables else {}


def _is_imported(module: ModuleType, name: str, value: object) -> bool:
    """Whether another module has imported the variable."""
    modules = [other for other in sys.modules.values() if other is not module]
    return any(getattr(other, "__dict__", {}).get(name) is value for other in modules)


def _unread_line(path: Path, name: str) -> int | None:
    """Return the line that assigns a variable which nothing in a file reads; ``None`` if something does."""
    nodes = list(ast.walk(ast.parse(path.read_bytes())))
    changed = {id(node.value) for node in nodes if _changes(node)}
    # The name of a table is often that of its variable.
    own = {id(part) for node in nodes if _assigns(node, name) for part in ast.walk(node)}
    lines = []
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == name:
            if not isinstance(node.ctx, ast.Store) and id(node) not in changed:
                return None
            lines.append(node.lineno)
        elif isinstance(node, ast.ClassDef) and node.name == name:
            lines.append(node.lineno)
        elif isinstance(node, ast.Constant) and node.value == name and id(node) not in own:
            # Such as an entry of __all__, or the name that a fixture looks up in the module.
            return None
    return min(lines, default=None)


def _assigns(node: ast.AST, name: str) -> bool:
    """Whether a statement assigns a value to a variable."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _changes(node: ast.AST) -> TypeGuard[ast.Attribute | ast.Subscript]:
    """Whether an expression changes a list or a dictionary without reading it, such as ``tables.append``."""
    is_item = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    return is_item or (isinstance(node, ast.Attribute) and node.attr in {"append", "extend", "insert", "update"})
