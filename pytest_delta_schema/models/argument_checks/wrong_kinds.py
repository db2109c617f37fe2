"""Raise DeclarationError for an argument of the wrong type."""

from __future__ import annotations

from typing import NoReturn

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.escaping import shortened

_LONGEST = 80


def refuse_kind(subject: str, wanted: str, value: object, remedy: str) -> NoReturn:
    """Raise the error for a value that a function cannot use.

    Args:
        subject: The function or class.
        wanted: What it takes.
        value: What it was given.
        remedy: What to give, in the imperative.

    Raises:
        DeclarationError: Always.
    """
    msg = f"{subject} takes {wanted}, and was given {argument_text(value)}; {remedy}"
    raise DeclarationError(msg)


def argument_text(value: object) -> str:
    """Return a value for a message, in at most a line."""
    if not isinstance(value, type) and hasattr(value, "qualified_name"):
        return f"the Table {value.qualified_name}"
    return shortened(repr(value), _LONGEST)
