"""Problems of reading, cloning and converting a table, worded the same way by every backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.protocol import commits_are_in_catalog
from pytest_delta_schema.diagnostics.errors import Diagnostic, StatementError, diagnostic_of
from pytest_delta_schema.diagnostics.faults import (
    DamagedTable,
    NotDeltaTable,
    UnlistableFiles,
    UnreachableCatalog,
    UnreadableTable,
    ViewInPlaceOfTable,
)
from pytest_delta_schema.execute.protocols import Refusal
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.states import CONVERT, RESTORE_LOG, MalformedPropertyError, TableState

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.statement import Statement


MALFORMED = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)
"""What reading one table raises if its log, or its catalog metadata, is malformed or nested too deeply."""

JVM_GONE, SESSION_STOPPED = "JVM_GONE", "SESSION_STOPPED"
"""The conditions of errors whose cause is that the JVM has ended, or that the session was stopped."""

NO_CONNECTION = "NO_CONNECTION"
"""The condition of an error whose cause is the connection: the server cannot be reached, or refuses the token."""

_CONVERT_BY_HAND = "convert it by CONVERT TO DELTA if it is parquet, or declare the table under another name"


def problem(
    fault: type[HasCode], name: QualifiedName, message: str, remedy: str, *, concerns_run: bool = False
) -> Diagnostic:
    """Build the problem of one table.

    Args:
        fault: The class of the fault.
        name: The table.
        message: What the table is instead, or what is wrong with it.
        remedy: What to do about it.
        concerns_run: Whether no other table can be read either, for the same reason.
    """
    return diagnostic_of(fault, name, message, remedy=remedy, concerns_run=concerns_run)


def is_doubtful(result: object) -> bool:
    """Whether a later read of the same table could have another result: a problem of this table alone."""
    if isinstance(result, TableState):
        return bool(result.kind)
    return isinstance(result, Diagnostic) and not result.concerns_run


def refused(name: QualifiedName, error: StatementError, remedy: str) -> Diagnostic:
    """Return the problem of a table whose queries fail, whether it exists or not.

    Args:
        name: The table.
        error: Why; if the connection is lost, its text has the remedy.
        remedy: What to do about another fault.
    """
    if error.condition not in {JVM_GONE, NO_CONNECTION, SESSION_STOPPED}:
        return problem(UnreadableTable, name, f"cannot be read ({error})", remedy)
    fact, _, remedy = str(error).rpartition("; ")
    return problem(UnreachableCatalog, name, fact, remedy, concerns_run=True)


def is_a_view(name: QualifiedName) -> Diagnostic:
    """Return the problem of a view where a table is expected."""
    remedy = "drop the view, or declare the table under another name"
    return problem(ViewInPlaceOfTable, name, "is a view, not a table", remedy)


def is_not_delta(name: QualifiedName, provider: str, *, converts: bool = False) -> Diagnostic:
    """Return the problem of a table of another format.

    Args:
        name: The table.
        provider: The format, such as ``csv``.
        converts: Whether the backend converts tables in place.
    """
    remedy = CONVERT if converts else _CONVERT_BY_HAND
    return problem(NotDeltaTable, name, f"is a {provider.lower()} table, not a Delta table", remedy)


WRITE_AGAIN = "report this if other clients read the table, or let what wrote it write the metadata again"
"""The remedy for metadata that is there and is malformed: every backup of it has the same."""


def is_damaged(name: QualifiedName, error: Exception) -> Diagnostic:
    """Return the problem of a log, or of catalog metadata, that cannot be understood.

    Args:
        name: The table.
        error: What reading it has raised.
    """
    from pytest_delta_schema.sql.renderers import unset_tblproperties

    if isinstance(error, MalformedPropertyError):
        remedy = f"remove it ({unset_tblproperties(name, [error.key])}), and apply the model again"
        return problem(DamagedTable, name, str(error), remedy)
    return problem(DamagedTable, name, f"its metadata is damaged ({error!r})", WRITE_AGAIN)


def has_lost_its_log(name: QualifiedName, path: str, sign: str) -> Diagnostic:
    """Return the problem of a folder with files of a Delta table and without its log."""
    fact = f"{path} holds the files of a Delta table whose log is gone (see {sign})"
    return problem(DamagedTable, name, fact, RESTORE_LOG)


def cannot_convert(name: QualifiedName, path: str) -> Diagnostic:
    """Return the problem of a model that converts files in a Spark session, which cannot list them."""
    fact = f"its model converts {path}, whose files the session backend cannot list"
    remedy = "convert it with the local backend or by CONVERT TO DELTA, or remove convert_from"
    return problem(UnlistableFiles, name, fact, remedy)


def cannot_clone(
    table: QualifiedName,
    fact: str,
    remedy: str = "create the table with make_delta_table, and insert its rows",
    *,
    condition: str = "",
) -> StatementError:
    """Return the error of a table that cannot be cloned."""
    return StatementError(f"{table} cannot be cloned: {fact}; {remedy}", condition=condition)


def require_commits_in_log(state: TableState) -> None:
    """Require the log of a table to hold all of its commits."""
    if commits_are_in_catalog(state.table_properties):
        raise cannot_clone(state.name, "its newest commits are in a catalog, and not in its log")


def without_files(statement: Statement) -> Refusal | None:
    """Refuse statements for which files have to be listed first."""
    if statement.kind in (StatementKind.CONVERT_TABLE, StatementKind.REGISTER_TABLE):
        return Refusal("it cannot list the files first", "convert with the local backend, or by CONVERT TO DELTA")
    return None
