"""Refuse clones of single tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.protocol import commits_are_in_catalog
from pytest_delta_schema.diagnostics.errors import StatementError

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState

_REMEDY = "create the table with make_delta_table, and insert its rows"


def cannot_clone(table: QualifiedName, fact: str, remedy: str = _REMEDY, *, condition: str = "") -> StatementError:
    """Return the error of a table that cannot be cloned."""
    return StatementError(f"{table} cannot be cloned: {fact}; {remedy}", condition=condition)


def require_commits_in_log(state: TableState) -> None:
    """Require the log of a table to hold all of its commits.

    Raises:
        StatementError: If its newest commits are in a catalog.
    """
    if commits_are_in_catalog(state.table_properties):
        raise cannot_clone(state.name, "its newest commits are in a catalog, and not in its log")
