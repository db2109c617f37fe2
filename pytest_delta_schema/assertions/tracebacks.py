"""Keep the lines of this package out of tracebacks, which then end at the line of the project."""

from __future__ import annotations

import importlib
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_R = TypeVar("_R")

_PACKAGE = Path(__file__).parents[1]


def hides_traceback(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Raise the errors of this package from the call of ``function``, so pytest shows the caller's line only."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except DeltaSchemaError as error:
            raise error.with_traceback(None) from error.__cause__

    return call


def lines_of_the_project(entries: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the lines of this package and of Python's import."""
    if entries is None:
        return None
    rest, file = lines_of_the_project(entries.tb_next), entries.tb_frame.f_code.co_filename
    if file.startswith("<") or file == importlib.__file__ or _PACKAGE in Path(file).parents:
        return rest
    return TracebackType(rest, entries.tb_frame, entries.tb_lasti, entries.tb_lineno)
