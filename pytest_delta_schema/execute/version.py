"""What a catalog answers when it is asked for the version of a table."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Literal

from pytest_delta_schema.errors import ReadProblem

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import CatalogState


class Absence(Enum):
    """The answer for a table that does not exist."""

    ABSENT = "absent"


ABSENT = Absence.ABSENT
"""There is no such table, which the catalog knows for certain."""

Version = int | Literal[Absence.ABSENT] | ReadProblem
"""The newest Delta version of a table; :data:`ABSENT`; or why nobody can tell, which is never the same as absent."""


def version_of(state: CatalogState, table: QualifiedName) -> Version:
    """Return the version of a table in a catalog state.

    Args:
        state: What was read.
        table: One of the tables that it was read for.
    """
    found = state.tables.get(table)
    if found is None:
        return state.problem(table)
    if not found.exists:
        return ABSENT
    if found.version is None:
        message = "its catalog does not say which version it has"
        return ReadProblem(table=str(table), message=message, remedy="read its history with DESCRIBE HISTORY")
    return found.version
