"""Versions of tables: a number, absent, or why it cannot be read."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.diagnostic_builders import diagnostic_of
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, Diagnostic, first_line
from pytest_delta_schema.diagnostics.faults import UnknownVersion
from pytest_delta_schema.sql.quoting import dotted

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import CatalogState


class Absence(Enum):
    """The version of a table that does not exist."""

    ABSENT = "absent"


ABSENT = Absence.ABSENT
"""There is certainly no such table."""

Version = int | Absence | Diagnostic
"""The newest Delta version of a table; :data:`ABSENT`; or why it cannot be read, which is never the same as absent."""


def version_of(state: CatalogState, table: QualifiedName) -> Version:
    """Return the version of a table in a catalog state.

    Args:
        state: What was read.
        table: A table that was asked for.
    """
    observed = state.tables.get(table)
    if observed is None:
        return state.problem(table)
    if not observed.exists:
        return ABSENT
    if observed.version is None:
        message = "its catalog does not show its version"
        return diagnostic_of(UnknownVersion, table, message, remedy="read its history with DESCRIBE HISTORY")
    return observed.version


def version_after_failure(read: Callable[[QualifiedName], Version], table: QualifiedName) -> Version:
    """Return the version of a table after a failure, when the catalog may be unavailable; raises no error."""
    try:
        return read(table)
    except DeltaSchemaError as error:
        remedy = f"when it can be, see DESCRIBE HISTORY {dotted(table)}"
        return diagnostic_of(UnknownVersion, table, first_line(error), remedy=remedy)
