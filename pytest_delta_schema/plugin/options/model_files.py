"""Find the files of the modules and packages that ``models`` names."""

from __future__ import annotations

import sys
import traceback
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.machinery import ModuleSpec

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
            spec = _spec(name)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - find_spec runs the code of the packages around a module
            faults.append(f"models: {name} cannot be imported, {line_of(error, root)}{type(error).__name__}: {error}")
            continue
        modules = {} if spec is None else dict(_modules(spec))
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


def _spec(name: str) -> ModuleSpec | None:
    """Return the specification of a module; ``None`` if there is none."""
    try:
        return find_spec(name)
    except (ImportError, ValueError) as error:
        # A package around the module is missing, or it raises because another module is.
        is_there = isinstance(error, ImportError) and error.name and not f"{name}.".startswith(f"{error.name}.")
        if is_there:
            raise
        return None


def _modules(spec: ModuleSpec) -> Iterator[tuple[Path, str]]:
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
    nearest = _nearest(name, root)
    if nearest:
        return f"models: there is no module {name}; did you mean {nearest}?"
    return (
        f"models: there is no module {name}; name it as in an import statement, and see that the ini key pythonpath has"
        " its folder"
    )


def _nearest(name: str, root: Path) -> str:
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
    names, folder = _names(module, root)
    for name in names:
        if file.resolve() in _origins(name):
            return f"models: {path} is a path; write the name of its module: {name}"
    return (
        f"models: {path} is a path; write the name of its module: {names[-1]}, and add the folder from which it can be"
        f' imported: pythonpath = ["{folder}"]'
    )


def _names(module: Path, root: Path) -> tuple[list[str], str]:
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


def _origins(name: str) -> set[Path]:
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
