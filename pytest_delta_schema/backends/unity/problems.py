"""Explain why a table of a Unity Catalog server cannot be read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.problems import problem
from pytest_delta_schema.backends.unity.calls import UNREACHABLE
from pytest_delta_schema.backends.unity.client import ServerError
from pytest_delta_schema.errors import BackendUnavailableError, StatementError
from pytest_delta_schema.state.states import TableState

if TYPE_CHECKING:
    from pytest_delta_schema.errors import DeltaSchemaError, Diagnostic
    from pytest_delta_schema.models.names import QualifiedName


def no_catalog(name: str) -> StatementError:
    """Return the error for a catalog that the server does not list; its tables may exist."""
    msg = f"the server shows no catalog {name}; create it, which no apply does, or give the principal permission"
    return StatementError(f"{msg} to use it", condition="NO_CATALOG")


def unreadable(name: QualifiedName, error: DeltaSchemaError) -> Diagnostic:
    """Return the problem of a table from the error of a server or a log, whose text ends with the remedy.

    Args:
        name: The table.
        error: The error.
    """
    fact, _, remedy = str(error).rpartition("; ")
    result = problem(name, fact or str(error), remedy if fact else "look into the server's log")
    is_unreachable = isinstance(error, StatementError) and error.condition == UNREACHABLE
    return replace(result, concerns_run=is_unreachable or isinstance(error, BackendUnavailableError))


def absent_table(name: QualifiedName, *, schema: bool | ServerError) -> TableState | Diagnostic:
    """Return the state of a table that the server does not have, or the problem if that is not certain.

    Args:
        name: The table.
        schema: Whether its schema exists, or the server's error if that is not known.
    """
    if not isinstance(schema, ServerError):
        return TableState(name=name, exists=False, schema_exists=schema)
    if schema.is_not_found:
        return unreadable(name, no_catalog(name.catalog))
    reason = unreadable(name, schema)
    fact = f"is not found, and it is not known whether it exists: {reason.message}"
    return problem(name, fact, reason.remedy)
