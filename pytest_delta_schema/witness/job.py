"""The job of a role: what it does with a table before the change, and with the same table after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.witness.table_sql import FOLDER_OF_TABLE

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The parts of a script: statements that make a table, and what a role does with it.

    Lines of Python and statements name the folder of the table by :data:`FOLDER_OF_TABLE`.
    """

    before: Sequence[str]
    """The statements that lead to the table before the change."""
    after: Sequence[str]
    """The statements that lead to the table after it."""
    lines: Sequence[str]
    """What the role does with the table."""
    first: Sequence[str] = ()
    """The statements that come first, whatever follows."""
    opening: Sequence[str] = ()
    """What the role does between these and the others."""
    shows: tuple[str, str]
    """What is expected before the change, and after it."""


def python_text(text: str) -> str:
    """Write text as a string of Python, in which the folder of the table is a variable."""
    parts = text.split(FOLDER_OF_TABLE)
    if len(parts) == 1:
        return repr(text)
    inner = "\x00".join(part.replace("{", "{{").replace("}", "}}") for part in parts)
    return f"f{inner!r}".replace("\\x00", "{path}")


def sql_call(sql: str) -> str:
    """Return the Python that runs a statement."""
    return f"spark.sql({python_text(sql)})"
