"""Keep the lines of this package out of the tracebacks of failed assertions."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pytest_delta_schema.errors import DeltaSchemaError

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_R = TypeVar("_R")


def hides_traceback(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Raise the errors of this package from the call of ``function``, so that pytest shows the caller's line only."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except DeltaSchemaError as error:
            raise error.with_traceback(None) from error.__cause__

    return call
