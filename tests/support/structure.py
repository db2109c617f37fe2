"""Count the structure of the package: ``PYTHONPATH=tests .venv/bin/python -m support.structure [--root DIR]``.

``--root`` names another checkout, such as one of an older commit, so both can be compared. Nothing of it is imported.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

ROOT = Path(__file__).parents[2]
PACKAGE = "pytest_delta_schema"
BACKENDS = ("memory", "local", "spark_session", "unity", "databricks")

Graph = dict[str, set[str]]
"""The modules that each module imports."""


class Module(NamedTuple):
    """One file of Python.

    Args:
        path: Its path, relative to the root of the checkout.
        text: Its text.
        tree: The text, parsed.
    """

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """The dotted name by which it is imported."""
        return ".".join(self.path.with_suffix("").parts).removesuffix(".__init__")

    @property
    def folder(self) -> str:
        """The dotted name of its package."""
        return ".".join(self.path.parent.parts)

    @property
    def lines(self) -> int:
        """The number of its lines."""
        return len(self.text.splitlines())


def modules_of(root: Path, folder: str = PACKAGE) -> dict[str, Module]:
    """Return the files of a folder and of those below it, by dotted name."""
    paths = sorted((root / folder).rglob("*.py"))
    texts = {path: path.read_text("utf-8") for path in paths}
    modules = [Module(path.relative_to(root), text, ast.parse(text)) for path, text in texts.items()]
    return {module.name: module for module in modules}


def imports(modules: Mapping[str, Module], *, for_types: bool) -> Graph:
    """Return which modules each module imports, in functions, too.

    Args:
        modules: The modules, by dotted name.
        for_types: Whether to count imports below ``if TYPE_CHECKING:``.
    """
    return {
        name: {
            imported
            for node in _nodes(module.tree, for_types=for_types)
            for imported in imported_modules(node, modules)
            if imported != name
        }
        for name, module in modules.items()
    }


def imported_modules(node: ast.AST, modules: Iterable[str]) -> list[str]:
    """Return those of some modules that a statement imports."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        names = [name if name in modules else str(node.module) for name in names]
    else:
        names = []
    return sorted({name for name in names if name in modules})


def _nodes(tree: ast.AST, *, for_types: bool) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        is_for_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for child in node.orelse if isinstance(node, ast.If) and is_for_types and not for_types else [node]:
            yield child
            yield from _nodes(child, for_types=for_types)


def circles(graph: Graph) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or not, the largest first."""
    reached = {name: _reached(name, graph) for name in graph}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in graph
        if name in reached[name]
    }
    return sorted(map(list, groups), key=lambda group: (-len(group), group))


def _reached(start: str, graph: Graph) -> set[str]:
    reached: set[str] = set()
    todo = [start]
    while todo:
        new = graph[todo.pop()] - reached
        reached |= new
        todo += new
    return reached


def upward_imports(graph: Graph, root: Path) -> list[str]:
    """Return the imports against the contracts of layers in the ``pyproject.toml`` of a checkout."""
    contracts = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    upward = []
    for contract in contracts:
        if contract["type"] != "layers":
            continue
        for container in contract["containers"]:
            layers = [layer.replace(":", "|").split("|") for layer in contract["layers"]]
            rank = {f"{container}.{name.strip()}": position for position, layer in enumerate(layers) for name in layer}
            ranks = {name: next((rank[above] for above in _above(name) if above in rank), None) for name in graph}
            upward += [
                f"{name} -> {other}"
                for name, others in graph.items()
                for other in others
                if (lower := ranks[name]) is not None and (upper := ranks[other]) is not None and upper < lower
            ]
    return sorted(set(upward))


def _above(name: str) -> list[str]:
    """Return a dotted name and those of the packages around it, the nearest first."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]


def line_kinds(module: Module) -> Counter[str]:
    """Return the number of lines of each kind: docstrings, imports, comments, blank lines and code."""
    kinds = dict.fromkeys(range(1, module.lines + 1), "code")
    for number, line in enumerate(module.text.splitlines(), 1):
        if not line.strip():
            kinds[number] = "blank"
        elif line.lstrip().startswith("#"):
            kinds[number] = "comment"
    for node in ast.walk(module.tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and type(node.value.value) is str
        if isinstance(node, (ast.Expr, ast.Import, ast.ImportFrom)) and (is_text or not isinstance(node, ast.Expr)):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            kinds |= dict.fromkeys(lines, "docstring" if is_text else "import")
    return Counter(kinds.values())


def function_lengths(modules: Iterable[Module]) -> dict[str, tuple[int, int]]:
    """Return the lines of each function, with its docstring and without, by its place."""
    lengths = {}
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                first = node.body[0] if ast.get_docstring(node) else None
                docstring = 0 if first is None else (first.end_lineno or first.lineno) - first.lineno + 1
                lengths[f"{module.path.as_posix()}:{node.lineno} {node.name}"] = (lines, lines - docstring)
    return lengths


def definitions(module: Module) -> set[str]:
    """Return the functions and classes that a module defines at its top level."""
    return {node.name for node in module.tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def top_level_names(module: Module) -> set[str]:
    """Return the functions, classes and values that a module defines at its top level, without type variables."""
    defined = definitions(module)
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and not ast.unparse(node.value).startswith("TypeVar("):
            defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            defined.add(node.target.id)
    return defined


def modules_by_name(
    modules: Iterable[Module], names: Callable[[Module], set[str]] = definitions
) -> dict[str, list[Module]]:
    """Return the modules that define each public name.

    Args:
        modules: The modules.
        names: Which names of a module count.
    """
    defining = defaultdict(list)
    for module in modules:
        for name in names(module):
            if not name.startswith("_"):
                defining[name].append(module)
    return defining


def single_importers(graph: Graph) -> dict[str, str]:
    """Return the only importer of each module that has one."""
    importers: dict[str, set[str]] = {name: set() for name in graph}
    for name, others in graph.items():
        for other in others:
            importers[other].add(name)
    return {name: next(iter(modules)) for name, modules in importers.items() if len(modules) == 1}


def imports_of_backend(backend: str, graph: Graph) -> list[str]:
    """Return the modules outside its folder that a backend imports."""
    folder = f"{PACKAGE}.backends.{backend}"
    own = {name for name in graph if folder in _above(name)}
    return sorted({other for name in own for other in graph[name]} - own)


def _is_file(module: Module) -> bool:
    """Whether a module is a file, and not the entry of a folder."""
    return module.path.name != "__init__.py"


def counts(root: Path = ROOT) -> dict[str, str]:
    """Return all figures of a checkout, by what is counted."""
    package, tests = modules_of(root), modules_of(root, "tests")
    files = list(package.values())
    graph, with_types = (imports(package, for_types=for_types) for for_types in (False, True))
    kinds = sum((line_kinds(file) for file in files if "scenarios" not in file.path.parts), Counter[str]())
    names = [name for file in files for name in definitions(file)]
    repeated = sorted(name for name, defining in modules_by_name(files).items() if len(defining) > 1)
    only = {name: importer for name, importer in single_importers(graph).items() if _is_file(package[name])}
    near = [package[name] for name, importer in only.items() if package[name].folder == package[importer].folder]
    lines, test_lines = (sum(file.lines for file in group) for group in (files, tests.values()))
    return {
        "files of the package": str(len(files)),
        "lines": str(lines),
        "median of lines": str(median(file.lines for file in files)),
        "files over 300 lines": _worst(files, lambda file: file.lines, 300),
        "files under 40 lines": str(sum(_is_file(file) and file.lines < 40 for file in files)),
        "lines by kind, without scenarios": ", ".join(f"{kind} {number}" for kind, number in kinds.most_common()),
        **_functions(files, "functions"),
        "files of tests": str(len(tests)),
        "lines of tests": f"{test_lines} ({test_lines / lines:.2f} of the package)",
        "test files over 300 lines": str(sum(file.lines > 300 for file in tests.values())),
        **_functions(tests.values(), "test functions"),
        "circles at run time": _circles(graph),
        "circles with TYPE_CHECKING": _circles(with_types),
        "upward imports": _listed(upward_imports(with_types, root)),
        "public functions and classes": str(sum(not name.startswith("_") for name in names)),
        "private functions and classes": str(sum(name.startswith("_") for name in names)),
        "public ones that several modules define": _listed(repeated),
        "modules with one importer": str(len(only)),
        "... of 60 lines at most, in its folder": str(sum(file.lines <= 60 for file in near)),
        "... of 120 lines at most, in its folder": str(sum(file.lines <= 120 for file in near)),
        **{
            f"modules outside of backends.{backend} that it imports": str(len(imports_of_backend(backend, with_types)))
            for backend in BACKENDS
        },
    }


def _functions(modules: Iterable[Module], label: str) -> dict[str, str]:
    lengths = function_lengths(modules)
    long, code = (sum(length[part] > 50 for length in lengths.values()) for part in (0, 1))
    return {label: str(len(lengths)), f"{label} over 50 lines": f"{long} ({code} without docstring)"}


def _worst(modules: Sequence[Module], size: Callable[[Module], int], limit: int) -> str:
    over = sorted((module for module in modules if size(module) > limit), key=size, reverse=True)
    return _listed([f"{module.path.relative_to(PACKAGE).as_posix()} {size(module)}" for module in over])


def _circles(graph: Graph) -> str:
    return _listed([f"{len(circle)}: {' '.join(circle)}".replace(f"{PACKAGE}.", "") for circle in circles(graph)])


def _listed(items: Sequence[str]) -> str:
    return "\n    ".join([str(len(items)), *items])


def main() -> None:
    """Print the figures of a checkout."""
    parser = argparse.ArgumentParser(description="Count the structure of the package.")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to count")
    for label, value in counts(parser.parse_args().root).items():
        print(f"{label}: {value}")  # noqa: T201 - its output


if __name__ == "__main__":
    main()
