"""The signatures of all public names, one a line: ``python -m support.signatures`` in ``tests/`` writes the reviewed file.

``current.txt`` has the names as they are, ``last_release.txt`` those that users have: of the last release, or before the
first one those of the review of the API. A release copies the first file over the second.
"""

from __future__ import annotations

import ast
import inspect
import re
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest_delta_schema
from pytest_delta_schema.plugin.fixtures import table_fixtures, types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROOT = Path(pytest_delta_schema.__file__).parent
FOLDER = Path(__file__).parents[1] / "signatures"
CURRENT, LAST_RELEASE = FOLDER / "current.txt", FOLDER / "last_release.txt"
CHANGELOG = ROOT.parent / "CHANGELOG.md"
SECTION = "### Changed names and calls\n"
"""The part of the changelog that has a line for each change of a public name."""

_OTHERS = (
    pytest_delta_schema.ApplyError.__module__,
    "pytest_delta_schema.testing",
    "pytest_delta_schema.testing.unity",
)
"""Packages and modules with public names that are imported as a whole."""

_KINDS: dict[object, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def signatures() -> list[str]:
    """Return a line for each public name, its methods and its properties, and for each fixture."""
    lines = [f"pytest_delta_schema.{name}" for name in import_module("pytest_delta_schema").__all__]
    for package in _packages():
        module = import_module(package)
        defined = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == package]
        for name in getattr(module, "__all__", [name for name in defined if isinstance(getattr(module, name), type)]):
            if not name.startswith("_"):
                lines += _lines(f"{package}.{name}", getattr(module, name))
    return sorted({*lines, *_fixtures()})


def changes(before: Iterable[str], after: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the lines of names that differ, ``""`` for one that is missing, by the dotted name."""
    old, new = ({_name(line): line for line in lines} for lines in (before, after))
    names = sorted({*old, *new})
    return {name: (old.get(name, ""), new.get(name, "")) for name in names if old.get(name) != new.get(name)}


def unnamed(
    changed: Mapping[str, tuple[str, str]], before: Iterable[str], after: Iterable[str], text: str
) -> list[str]:
    """Return the changed names that a part of the changelog does not name; a moved module is named as a whole.

    Args:
        changed: The changes between ``before`` and ``after``.
        before: The lines of the last release.
        after: The lines of today.
        text: The part of the changelog.
    """
    homes = [{_home(line) for line in lines} for lines in (before, after)]
    moved = {home for home in homes[0] ^ homes[1] if re.search(rf"`{re.escape(home)}`", text)}
    unmoved = [name for name in changed if _home(name) not in moved]
    return [name for name in unmoved if not _names(text, name) and not _names_class_of(text, name, changed)]


def newest_changes(changelog: str) -> str:
    """Return the changed names and calls of the newest version, as the changelog has them."""
    newest = changelog.split("\n## ")[1]
    return newest.partition(SECTION)[2].partition("\n### ")[0]


def _packages() -> list[str]:
    files = sorted(path for path in ROOT.rglob("__init__.py") if "lazy_exports" in path.read_text("utf-8"))
    names = [".".join(path.relative_to(ROOT.parent).parent.parts) for path in files]
    return [*(name for name in names if name != "pytest_delta_schema"), *_OTHERS]


def _lines(name: str, value: object) -> Iterator[str]:
    if not callable(value):
        yield name
        return
    yield f"{name}{_signature(value)}"
    if not isinstance(value, type):
        return
    if issubclass(value, Enum):
        yield from (f"{name}.{member}" for member in value.__members__)
    if issubclass(value, BaseException):
        bases = sorted(base.__name__ for base in value.__mro__[1:] if base not in (BaseException, object))
        yield f"{name} is {', '.join(bases)}"
    homes = [base for base in value.__mro__ if base.__module__.startswith("pytest_delta_schema")]
    members = {member: base for base in reversed(homes) for member in vars(base) if not member.startswith("_")}
    for member in sorted(members):
        attribute = inspect.getattr_static(value, member)
        plain = getattr(attribute, "__func__", attribute)
        if isinstance(attribute, property):
            yield f"{name}.{member}"
        elif inspect.isfunction(plain):
            yield f"{name}.{member}{_signature(getattr(value, member))}"


def _signature(value: object) -> str:
    try:
        parameters = inspect.signature(value).parameters.values()  # type: ignore[arg-type]
    except ValueError:  # an exception that is made from its text alone
        return "(...)"
    shown, is_named = [], False
    for parameter in parameters:
        if parameter.name == "self" or parameter.name.startswith("_"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not is_named:
            shown.append("*")
        is_named = is_named or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        default = "" if parameter.default is parameter.empty else f"={_default(parameter.default)}"
        shown.append(f"{_KINDS.get(parameter.kind, '')}{parameter.name}{default}")
    return f"({', '.join(shown)})"


def _default(value: object) -> str:
    """Return a default that is a literal; that of an object says nothing that is kept."""
    text = repr(value)
    try:
        ast.literal_eval(text)
    except ValueError:
        return "..."
    except SyntaxError:
        return "..."
    return text


def _fixtures() -> Iterator[str]:
    """Yield the public fixtures; of one that returns a function, with its arguments."""
    tree = ast.parse(Path(table_fixtures.__file__).read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            kind = getattr(types, ast.unparse(node.returns) if node.returns else "", None)
            yield f"fixture {node.name}" + ("" if kind is None else _signature(kind.__call__))


def _name(line: str) -> str:
    return line if " is " in line else line.partition("(")[0]


def _home(line: str) -> str:
    """Return the package of a name: the parts before the first one with a capital, or before the last."""
    parts = _name(line).partition(" ")[0].split(".")
    first = next((index for index, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join(parts[:first])


def _names(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(_short(name))}\b", text) is not None


def _names_class_of(text: str, member: str, changed: Mapping[str, tuple[str, str]]) -> bool:
    """Whether a text names the class of a member that has changed, too."""
    owner = member.rpartition(".")[0]
    return owner in changed and _names(text, owner)


def _short(name: str) -> str:
    """Return the part of a dotted name that a changelog writes: without the package."""
    return name.removeprefix("fixture ").removeprefix(f"{_home(name)}.").partition(" ")[0]


def main() -> None:
    """Write the file with the names of today."""
    CURRENT.write_text("\n".join(signatures()) + "\n", "utf-8")


if __name__ == "__main__":
    main()
