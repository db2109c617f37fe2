"""Where tables are declared: the module, the file and the line, and what each module has declared."""

from __future__ import annotations

import os
import sys
from inspect import CO_OPTIMIZED
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from pytest_delta_schema.diagnostics.errors import Location

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType, ModuleType

    from pytest_delta_schema.models.names import QualifiedName


class FileVersion(NamedTuple):
    """A version of a file, which changes when the file is written."""

    modified: int
    size: int

    @classmethod
    def of(cls, file: str | int) -> FileVersion | None:
        """Return the version of a file, given by its path or an open descriptor; ``None`` if there is no such file."""
        try:
            status = os.stat(file)  # noqa: PTH116 - also of descriptors
        except OSError:
            return None
        return cls(status.st_mtime_ns, status.st_size)


class DeclaredAt(NamedTuple):
    """The module, file and line of a declaration; the line counts from one."""

    module: str
    path: str
    line: int
    is_top_level: bool = False
    """Whether the top-level code of the module makes the declaration, or a class in it."""
    name: QualifiedName | None = None
    """The name of the table that is declared there; ``None`` if the table was derived from a declaration."""

    @property
    def location(self) -> Location:
        """The file and the line."""
        return Location(self.path, self.line)

    def __str__(self) -> str:
        return str(self.location)


_PACKAGE = "pytest_delta_schema."

_PROGRAMS = ("__main__", "__channelexec__")
"""The modules that run a program: the one that Python was started with, and that of a worker of xdist."""


def declared_here(name: QualifiedName) -> DeclaredAt:
    """Find the nearest module whose top-level code is running, or else the nearest code that is not of this package.

    Walking to the ``<module>`` frame sees through constructors, factories in other files and comprehensions, where
    counting frames would not; the line is one of that frame, or of a class body in it. The top-level code of a program,
    such as that of pytest, declares nothing: a table that a test function makes is declared in that function.
    """
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to ask who calls
    while frame.f_back is not None and _module(frame).startswith(_PACKAGE):
        frame = frame.f_back
    body: FrameType | None = None
    caller: FrameType | None = frame
    while caller is not None:
        code = caller.f_code
        if code.co_flags & CO_OPTIMIZED:
            body = None  # a function, whose classes are not those of the module
        elif code.co_name != "<module>":
            body = body or caller
        elif _module(caller) not in _PROGRAMS:
            return _at(body or caller, name, is_top_level=True)
        caller = caller.f_back
    return _at(frame, name, is_top_level=False)


def _at(frame: FrameType, name: QualifiedName, *, is_top_level: bool) -> DeclaredAt:
    return DeclaredAt(_module(frame), frame.f_code.co_filename, frame.f_lineno, is_top_level, name)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


class _ModuleDeclarations(NamedTuple):
    """The tables that the top-level code of a module has declared."""

    version: FileVersion | None
    """The version of its file at the first declaration."""
    tables: dict[QualifiedName, DeclaredAt]


_declarations: WeakKeyDictionary[ModuleType, _ModuleDeclarations] = WeakKeyDictionary()
"""What the top-level code of each module has declared, also what no variable of the module holds."""


def note_declaration(name: QualifiedName, origin: DeclaredAt) -> None:
    """Note what the top-level code of a module declares."""
    module = sys.modules.get(origin.module)
    if origin.is_top_level and module is not None:
        declared = _declarations.get(module)
        if declared is None:
            declared = _declarations[module] = _ModuleDeclarations(FileVersion.of(origin.path), {})
        declared.tables[name] = origin


def declarations_of(module: ModuleType) -> Mapping[QualifiedName, DeclaredAt]:
    """Return the tables that the top-level code of a module has declared, whatever has become of them."""
    declared = _declarations.get(module)
    return {} if declared is None else declared.tables


def imported_version(module: ModuleType) -> FileVersion | None:
    """Return the version of a module's file when the module was imported; ``None`` if it declares no table."""
    declared = _declarations.get(module)
    return None if declared is None else declared.version
