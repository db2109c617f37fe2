"""Declared constraints."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_delta_schema.errors import DeclarationError
from pytest_delta_schema.models.names import require_name


@dataclass(slots=True)
class Check:
    """Declare a CHECK constraint: every row makes ``expression`` true; false and unknown break it.

    Args:
        name: Matched without regard to case, and stored in lower case, like Delta does.
        expression: SQL over the table's columns, such as ``amount >= 0``.

    Raises:
        DeclarationError: If the name or the expression is empty or not a string.
    """

    name: str
    expression: str

    def __post_init__(self) -> None:
        require_name(self.name, "the name of a check")
        given: object = self.expression
        if not isinstance(given, str) or not given.strip():
            msg = f"check {self.name}: expression is {given!r}; write a SQL condition, such as 'amount >= 0'"
            raise DeclarationError(msg)
