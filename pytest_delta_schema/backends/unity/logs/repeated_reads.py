"""Read files of a log again before a failure is reported, because files come and go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.backends.logs.second_look import read_until_settled
from pytest_delta_schema.diagnostics.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """A failed read. Failures with the same message are equal."""

    message: str
    error: StatementError = field(compare=False)


def read_repeatedly(read: Callable[[], T]) -> T:
    """Return what is read; a failure counts if two tries in a row have it.

    Raises:
        StatementError: The failure.
    """

    def tried() -> T | _Failure:
        try:
            return read()
        except StatementError as error:
            return _Failure(message=str(error), error=error)

    result = read_until_settled(tried, lambda outcome: isinstance(outcome, _Failure))[-1]
    if isinstance(result, _Failure):
        raise result.error
    return result
