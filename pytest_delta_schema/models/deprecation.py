"""Deprecation: a column or a table that a later version of the contract drops."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from datetime import date, datetime

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.argument_checks.arguments import refuses_wrong_arguments

_EXAMPLE = "date(2026, 1, 31)"


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True)
class Deprecated:
    """Announce that a column or a table will be dropped.

    No catalog stores it, so it is never drift; the JSON form of the desired state has it, and reports show it. A
    deprecation of a column holds for its fields, and one of a table for its columns.

    Args:
        since: The day of the announcement, from which the notice counts.
        use: What to read instead: of a column the name of another column, or the dotted path of a field; of a table
            the dotted name of another table. ``""`` if nothing replaces it.
        sunset: The first day on which it may be gone.

    Raises:
        DeclarationError: If a day is not a ``datetime.date``, or the sunset is not after ``since``.
    """

    since: date
    _: KW_ONLY
    use: str = ""
    sunset: date | None = None

    def __post_init__(self) -> None:
        _require_day(self.since, "since")
        given: object = self.use
        if not isinstance(given, str):
            msg = f"use of Deprecated must be a string, got {given!r}; write the name of what replaces it in quotes"
            raise DeclarationError(msg)
        if self.sunset is None:
            return
        _require_day(self.sunset, "sunset")
        if self.sunset <= self.since:
            msg = f"sunset of Deprecated is {self.sunset}, which is not after since, {self.since}; write a later day"
            raise DeclarationError(msg)


def _require_day(value: object, name: str) -> None:
    """Raise a ``DeclarationError`` if a value is not a day; a moment is none."""
    if not isinstance(value, date) or isinstance(value, datetime):
        msg = f"{name} of Deprecated is {value!r}, which is not a datetime.date; write {_EXAMPLE}"
        raise DeclarationError(msg)


def require_deprecated(value: object, subject: str) -> None:
    """Raise a ``DeclarationError`` if a value is neither a :class:`Deprecated` nor ``None``."""
    if value is not None and not isinstance(value, Deprecated):
        msg = f"{subject}deprecated is {value!r}; write Deprecated({_EXAMPLE})"
        raise DeclarationError(msg)
