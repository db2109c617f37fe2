"""Where in the project's source a model was declared."""

from __future__ import annotations

import sys
from typing import NamedTuple

from pytest_delta_schema.errors import Location


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
    """Find the nearest module whose top-level code is running.

    Constructors, factories in other files and comprehensions may lie between, so frames are not counted: the next
    ``<module>`` frame is the one.
    """
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to find the caller
    while frame.f_code.co_name != "<module>" and frame.f_back is not None:
        frame = frame.f_back
    return DeclaredAt(str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename, frame.f_lineno)
