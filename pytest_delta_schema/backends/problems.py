"""What may stand where a table is expected, said in the same way on every catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import ReadProblem
from pytest_delta_schema.state.conversion import CONVERT, RESTORE_LOG

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName


def problem(name: QualifiedName, message: str, remedy: str) -> ReadProblem:
    """Build the problem of one table."""
    return ReadProblem(table=str(name), message=message, remedy=remedy)


def is_a_view(name: QualifiedName) -> ReadProblem:
    """A view stands there."""
    return problem(name, "is a view, not a table", "drop the view, or declare the table under another name")


def is_not_delta(name: QualifiedName, provider: str) -> ReadProblem:
    """A table of another format stands there."""
    return problem(name, f"is a {provider.lower()} table, not a Delta table", CONVERT)


def is_damaged(name: QualifiedName, error: Exception) -> ReadProblem:
    """A log, or what a catalog tells of it, makes no sense."""
    return problem(name, f"its metadata is damaged ({error!r})", "restore an older version of the table")


def has_lost_its_log(name: QualifiedName, place: str, sign: str) -> ReadProblem:
    """Files of a Delta table are there, and its log is not."""
    return problem(name, f"{place} holds the files of a Delta table whose log is gone (see {sign})", RESTORE_LOG)


def cannot_be_looked_at(name: QualifiedName, backend: str, place: str) -> ReadProblem:
    """A model wants to be made of files that a backend has no way to look at."""
    fact = f"its model converts {place}, which the {backend} backend cannot look into"
    return problem(name, fact, "convert it with the local backend or by CONVERT TO DELTA, or take convert_from out")
