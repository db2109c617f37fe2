"""Report the statements of an apply after which its tables could not be read back, or their entries synchronised."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import ConvergenceError, MetadataSyncError, UnprovedApplyError
from pytest_delta_schema.diagnostics.escaping import escaped, escaped_lines
from pytest_delta_schema.execute.interruption import all_done, listing
from pytest_delta_schema.sql.compiler import statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.diagnostics.errors import ApplyError, DeltaSchemaError
    from pytest_delta_schema.execute.table_result import TableResult
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable


def with_errors(
    results: Iterable[TableResult], errors: Mapping[QualifiedName, DeltaSchemaError]
) -> tuple[TableResult, ...]:
    """Return results with the errors of tables that had none before."""
    return tuple(
        replace(result, error=_error_of(result, errors[result.table]))
        if result.error is None and result.table in errors
        else result
        for result in results
    )


def _error_of(result: TableResult, error: DeltaSchemaError) -> DeltaSchemaError:
    """Return the error of a table that could not be proved aligned; it has the statements that ran."""
    if result.action is None or not result.is_complete or isinstance(error, ConvergenceError):
        return error
    return _unproved(result.action, error)


def _unproved(action: CreateTable | AlignTable, cause: DeltaSchemaError) -> ApplyError:
    """Return the error of a table whose statements have all run.

    The cause is why the table could not be read back, or why its catalog entry could not be synchronised.
    """
    ran, progress = statements(action), all_done(action)
    is_proved = isinstance(cause, MetadataSyncError)
    what = "its catalog entry could not be synchronised" if is_proved else "the table could not be read back"
    count = "its statement" if len(ran) == 1 else f"all {len(ran)} statements"
    lines = [
        f"{escaped(action.table)}: {count} ran, and then {what}: {escaped_lines(str(cause))}",
        *listing("done", ran),
        f"  to restore:  {progress.restoring()}",
        "  to continue: fix the cause and apply again; the next plan starts from what is done",
    ]
    error = UnprovedApplyError(
        "\n".join(lines),
        table=str(action.table),
        done=[statement.sql for statement in ran],
        failed="",
        not_run=(),
        version=progress.version,
    )
    error.__cause__ = cause
    return error
