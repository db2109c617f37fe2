"""Explain why a table of a Unity Catalog server cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.problems import is_a_view, is_not_delta, problem
from pytest_delta_schema.backends.unity.http.client import ServerError
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError
from pytest_delta_schema.diagnostics.faults import DamagedTable, UnreachableCatalog, UnreadableTable
from pytest_delta_schema.state.states import TableState

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, Diagnostic
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.catalog_entry import EntryState


VIEWS = ("VIEW", "MATERIALIZED_VIEW", "METRIC_VIEW")
"""The kinds of entries that are not tables."""

_DELTA = "DELTA"

DAMAGED_LOG, NO_LOG = "DAMAGED_LOG", "NO_LOG"
"""The conditions of errors for a log that is damaged or gone."""


def no_catalog(name: str) -> StatementError:
    """Return the error for a catalog that the server does not list; its tables may exist."""
    msg = f"the server shows no catalog {name}; create it, which no apply does, or give the principal permission"
    return StatementError(f"{msg} to use it", condition="NO_CATALOG")


def unreadable(name: QualifiedName, error: DeltaSchemaError, fault: type[HasCode] = UnreadableTable) -> Diagnostic:
    """Return the problem of a table from the error of a server or a log, whose text ends with the remedy.

    The text of the error ends with the remedy. ``fault`` is what it means, unless it is a fault of the server.
    """
    server_fault = error.server_fault if isinstance(error, ServerError) else ""
    text = server_fault or str(error)
    fact, _, remedy = text.rpartition("; ")
    concerns_run = bool(server_fault) or isinstance(error, BackendUnavailableError)
    remedy = remedy if fact else "look into the server's log"
    if concerns_run:
        fault = UnreachableCatalog
    elif isinstance(error, StatementError) and error.condition in {DAMAGED_LOG, NO_LOG}:
        fault = DamagedTable
    return problem(fault, name, fact or text, remedy, concerns_run=concerns_run)


def why_no_delta_table(entry: EntryState) -> Diagnostic | None:
    """Return why an entry is not that of a Delta table; ``None`` if it is."""
    if entry.table_type in VIEWS:
        return is_a_view(entry.name)
    if not entry.data_format:
        fact = "it may not be a Delta table, because its catalog entry has no format"
        return problem(UnreadableTable, entry.name, fact, "register it again with one")
    return None if entry.data_format == _DELTA else is_not_delta(entry.name, entry.data_format)


def other_kind(entry: EntryState) -> str:
    """Return what an entry is that is not of a Delta table; ``""`` if that is not known."""
    if entry.table_type in VIEWS:
        return entry.table_type.lower().replace("_", " ")
    return f"{entry.data_format.lower()} table" if entry.data_format else ""


def absent_table(name: QualifiedName, *, schema: bool | StatementError) -> TableState | Diagnostic:
    """Return the state of a table that the server does not have, or the problem if that is not certain.

    ``schema`` is whether its schema exists, or why that is not known.
    """
    if isinstance(schema, bool):
        return TableState(name=name, exists=False, schema_exists=schema)
    if not isinstance(schema, ServerError):
        return unreadable(name, schema)
    if schema.is_not_found:
        return unreadable(name, no_catalog(name.catalog))
    reason = unreadable(name, schema)
    if reason.concerns_run:
        return reason
    fact = f"is not found, and it is not known whether it exists: {reason.message}"
    return problem(UnreadableTable, name, fact, reason.remedy)
