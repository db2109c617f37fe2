"""Find the modules of the setting ``models``, and the tables that modules declare but no check covers."""

from __future__ import annotations

import ast
import sys
import traceback
import warnings
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, NamedTuple, TypeGuard, cast

import pytest

from pytest_delta_schema.diagnostics.text import printed_line
from pytest_delta_schema.engine.declarations import CONTAINERS, held_items, held_tables
from pytest_delta_schema.models.declared_at import declarations_of
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plugin.failures import relative

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from importlib.machinery import ModuleSpec

    from pytest_delta_schema.models.names import QualifiedName


_NOT_MODELS = ("__main__.py", "conftest.py", "test_*.py", "*_test.py")
"""Patterns of the files inside of a package that hold no models: programs, and what pytest imports by itself."""


def model_files(names: Iterable[str], root: Path) -> tuple[dict[Path, str], dict[str, frozenset[Path]], list[str]]:
    """Return the files of modules with their dotted names, those of packages, and a message for each name without.

    The files have to be in the folder ``root``, because pytest collects no others.
    """
    files: dict[Path, str] = {}
    packages: dict[str, frozenset[Path]] = {}
    faults = []
    for name in names:
        if "/" in name or "\\" in name or name.endswith(".py"):
            faults.append(_path_for_a_name(name, root))
            continue
        try:
            spec = _found_spec(name)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - find_spec runs the code of the packages around a module
            faults.append(f"models: {name} cannot be imported, {line_of(error, root)}{type(error).__name__}: {error}")
            continue
        modules = {} if spec is None else dict(_files_with_names(spec))
        if spec is None or not modules:
            faults.append(_unknown_module(name, root))
        elif not all(path.is_relative_to(root) for path in modules):
            faults.append(
                f"models: {name} is outside of the project; import its tables in a test module and list them"
                " there: delta_tables = [...]"
            )
        else:
            files |= modules
            if spec.submodule_search_locations is not None:
                packages[name] = frozenset(modules)
    return files, packages, faults


def _found_spec(name: str) -> ModuleSpec | None:
    """Return the specification of a module; ``None`` if there is none."""
    try:
        return find_spec(name)
    except (ImportError, ValueError) as error:
        # A package around the module is missing, or it raises because another module is.
        is_there = isinstance(error, ImportError) and error.name and not f"{name}.".startswith(f"{error.name}.")
        if is_there:
            raise
        return None


def _files_with_names(spec: ModuleSpec) -> Iterator[tuple[Path, str]]:
    """Yield the file of a module with its name, or those of all modules inside of a package."""
    if spec.submodule_search_locations is None:
        if spec.has_location:
            yield Path(str(spec.origin)), spec.name
        return
    for folder in map(Path, spec.submodule_search_locations):
        for path in sorted(folder.rglob("*.py")):
            *parents, stem = path.relative_to(folder).with_suffix("").parts
            if all(map(str.isidentifier, [*parents, stem])) and not any(map(path.match, _NOT_MODELS)):
                yield path, ".".join([spec.name, *parents, *([] if stem == "__init__" else [stem])])


def _unknown_module(name: str, root: Path) -> str:
    """Return the message for a name without a module, with the folder of the project from which it can be imported."""
    parts = name.split(".")
    for folder in (root, *sorted(root.iterdir())):
        for file in (folder.joinpath(*parts).with_suffix(".py"), folder.joinpath(*parts, "__init__.py")):
            if file.is_file():
                shown, start = file.relative_to(root).as_posix(), folder.relative_to(root).as_posix()
                return (
                    f"models: the module {name} cannot be imported, but there is {shown}; add its folder to the ini"
                    f' file of pytest: pythonpath = ["{start}"]'
                )
    nearest = _nearest_module(name, root)
    if nearest:
        return f"models: there is no module {name}; did you mean {nearest}?"
    return (
        f"models: there is no module {name}; name it as in an import statement, and see that the ini key pythonpath has"
        " its folder"
    )


def _nearest_module(name: str, root: Path) -> str:
    """Return the name of a module of the project that a mistyped one may mean; ``""`` if there is none."""
    folders = [Path(folder) for folder in sys.path if folder and _is_source(Path(folder), root)]
    known: list[str] = []
    for part in name.split("."):
        entries = [entry for folder in folders if folder.is_dir() for entry in folder.iterdir()]
        modules = [entry.stem for entry in entries if entry.suffix == ".py" or any(entry.glob("*.py"))]
        close = [part] if part in modules else get_close_matches(part, modules, n=1, cutoff=0.7)
        if not close:
            return ""
        known.append(close[0])
        folders = [folder / close[0] for folder in folders]
    return ".".join(known)


def _is_source(folder: Path, root: Path) -> bool:
    """Whether a folder is one of the project, and not one of a virtual environment inside of it."""
    return folder.is_relative_to(root) and "site-packages" not in folder.parts


def _path_for_a_name(path: str, root: Path) -> str:
    """Return the message for a path, with the name under which its module can be imported."""
    module = Path(path.replace("\\", "/")).with_suffix("")
    module = module.parent if module.name == "__init__" else module
    file = root / module if (root / module).is_dir() else root / module.with_suffix(".py")
    if not file.exists():
        return f"models: {path} is a path; there is no such file; name the module as in an import statement"
    names, folder = _possible_names(module, root)
    for name in names:
        if file.resolve() in _files_of_module(name):
            return f"models: {path} is a path; write the name of its module: {name}"
    return (
        f"models: {path} is a path; write the name of its module: {names[-1]}, and add the folder from which it can be"
        f' imported: pythonpath = ["{folder}"]'
    )


def _possible_names(module: Path, root: Path) -> tuple[list[str], str]:
    """Return the names that a module can have, and the folder from which it has the last one."""
    folders = [root.joinpath(*module.parts[:end]) for end in range(1, len(module.parts) + 1)]
    start = next((number for number, folder in enumerate(folders) if (folder / "__init__.py").exists()), None)
    if start is None:
        # Without regular packages the path alone does not say where the name begins.
        last = 1 if module.parts[0] == "src" and len(module.parts) > 1 else 0
        starts = [*range(len(module.parts) - 1, last - 1, -1)]
    else:
        starts = [start]
    names = [".".join(module.parts[start:]) for start in starts]
    return names, "/".join(module.parts[: starts[-1]]) or "."


def _files_of_module(name: str) -> set[Path]:
    """Return the file of a module, or the folders of a package; nothing if it cannot be imported."""
    try:
        spec = find_spec(name)
    except (Exception, SystemExit):  # noqa: BLE001 - a guess, which runs the code of the packages around a module
        return set()
    if spec is None:
        return set()
    return {Path(part).resolve() for part in (spec.submodule_search_locations or [spec.origin or ""]) if part}


def line_of(error: BaseException, root: Path) -> str:
    """Return the line of the project at which an error was raised, with a colon; ``""`` if none was."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(root)]
    if not frames:
        return ""
    return f"{Path(frames[-1].filename).relative_to(root).as_posix()}:{frames[-1].lineno}: "


LISTED = "delta_tables"
"""Name of the variable with which a test module adopts tables that were declared elsewhere."""

_NEAR = ("delta_contracts", "delta_model", "delta_models", "delta_schema", "delta_schemas", "delta_tables")
"""Names, in lower case, that mean ``delta_tables``; others are near by their letters."""


def adopted_tables(value: object) -> list[Table]:
    """Return the tables that the value of ``delta_tables`` names: a table, or a list or a dictionary of tables."""
    # A fixture or a module may have this name, too.
    if callable(value) or isinstance(value, ModuleType):
        return []
    others = [repr(item) for item in held_items(value) if not issubclass(type(item), Table)]
    if others:
        msg = f"{LISTED} holds {', '.join(others)}, not a Table; write a table, or a list or a dictionary of tables"
        raise ValueError(msg)
    return held_tables(value)


def misspelt(name: str, value: object) -> str:
    """Return the message for a variable that was meant to be ``delta_tables``; ``""`` if it was not."""
    low = name.lower()
    is_near = low.startswith("delta_") and (low in _NEAR or get_close_matches(low, [LISTED], cutoff=0.8))
    if is_near and issubclass(type(value), CONTAINERS) and held_tables(value):
        return f"{name} holds tables, which are not collected from a variable of this name; did you mean {LISTED}?"
    return ""


def missed_tables(module: ModuleType, collected: Mapping[QualifiedName, Table], root: Path) -> str:
    """Return the message for the tables that a module declares and that are not collected; ``""`` if there are none.

    Parents of the foreign keys of collected tables are left out: they may be declared only to be referenced.
    """
    parents = {key.parent for table in collected.values() for key in table.foreign_keys}
    declared = declarations_of(module)
    missed = {name: origin for name, origin in declared.items() if name not in collected and name not in parents}
    if not missed:
        return ""
    attributes = {table.name: path for path, table in _tables_in_classes(module)}
    lines = [
        f"  {relative(origin.location, root)}: {name}" + (f" ({attributes[name]})" if name in attributes else "")
        for name, origin in missed.items()
    ]
    held = ", ".join(attributes[name] for name in missed if name in attributes)
    remedies = [f"write {LISTED} = [{held}] below the class" if held else ""]
    if not missed.keys() <= attributes.keys():
        remedies.append("assign the others to variables" if held else "assign each of them to a variable")
    return (
        f"{module.__name__} declares tables that would not be checked, because no variable of the module holds them, by"
        f" itself or in a list or a dictionary; {', '.join(filter(None, remedies))}:\n" + "\n".join(lines)
    )


def functions_with_tables(module: ModuleType) -> list[str]:
    """Return the names of the functions of a module that make tables if they are called."""
    functions = {name: value for name, value in vars(module).items() if type(value) is FunctionType}
    return [
        name
        for name, function in functions.items()
        if function.__module__ == module.__name__ and Table.__name__ in function.__code__.co_names
    ]


def _tables_in_classes(module: ModuleType) -> Iterator[tuple[str, Table]]:
    """Yield the tables that are attributes of the classes of a module, with their paths, such as ``Silver.orders``."""
    for name, value in vars(module).items():
        if issubclass(type(value), type) and value.__module__ == module.__name__:
            for attribute, table in vars(value).items():
                if type(table) is Table:
                    yield f"{name}.{attribute}", table


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
    """Return a variable that was meant to be checked; ``None`` if something reads it, or its tables are checked."""
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
    """Warn of a variable, as pytest does of test classes that it cannot collect; the warning can be filtered."""
    warning = pytest.PytestCollectionWarning(printed_line(variable.message))
    try:
        warnings.warn_explicit(warning, category=None, filename=str(module.path), lineno=variable.line)
    except pytest.PytestCollectionWarning as error:
        msg = f"{module.path.name}:{variable.line}: {error}"
        raise module.CollectError(msg) from None


def warn_of_conftests(config: pytest.Config) -> None:
    """Warn of ``delta_tables`` in a conftest file, from which nothing is collected."""
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
