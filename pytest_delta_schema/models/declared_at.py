"""Where in the project's source a model was declared."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.errors import Location

if TYPE_CHECKING:
    from types import FrameType

_PACKAGE = "pytest_delta_schema."
_PROGRAMS = ("__main__", "__channelexec__")
"""The modules that run a program: the one that Python was started with, and that of a worker of xdist."""


class DeclaredAt(NamedTuple):
    """The module, file and line of a declaration; the line counts from one."""

    module: str
    path: str
    line: int

    @property
    def location(self) -> Location:
        """The file and the line."""
        return Location(self.path, self.line)

    def __str__(self) -> str:
        return str(self.location)


def declared_here() -> DeclaredAt:
    """Find the nearest module whose top-level code is running, or else the nearest code that is not of this package.

    Walking to the ``<module>`` frame sees through constructors, factories in other files and comprehensions, where
    counting frames would not. The top-level code of a program, such as that of pytest, declares nothing: a table that a
    test function makes is declared in that function.
    """
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to ask who calls
    while frame.f_back is not None and _module(frame).startswith(_PACKAGE):
        frame = frame.f_back
    caller: FrameType | None = frame
    while caller is not None:
        if caller.f_code.co_name == "<module>" and _module(caller) not in _PROGRAMS:
            frame = caller
            break
        caller = caller.f_back
    return DeclaredAt(_module(frame), frame.f_code.co_filename, frame.f_lineno)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))
