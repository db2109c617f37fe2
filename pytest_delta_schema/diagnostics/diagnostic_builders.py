"""Build diagnostics: faults, remarks, and those of an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import (
    ApplyError,
    ApplyErrors,
    DeltaSchemaError,
    Diagnostic,
    DiagnosticsError,
)
from pytest_delta_schema.diagnostics.escaping import escaped

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import Location, Severity
    from pytest_delta_schema.diagnostics.faults import HasCode


def diagnostic_of(  # noqa: PLR0913 - the parts of a diagnostic
    fault: type[HasCode],
    table: object,
    message: str,
    *,
    remedy: str = "",
    path: str = "",
    severity: Severity = "error",
    location: Location | None = None,
    concerns_run: bool = False,
) -> Diagnostic:
    """Build a diagnostic with the code and the name of a fault.

    The message is the fact and its reason, without the table's name, and the remedy is in the imperative. The path is
    ``""`` for the table itself. ``concerns_run`` is whether every table of the run has this fault.
    """
    return Diagnostic(
        code=fault.code,
        rule=fault.__name__,
        severity=severity,
        table=str(table),
        path=path,
        message=message,
        remedy=remedy,
        location=location,
        concerns_run=concerns_run,
    )


def diagnostics_of(error: DeltaSchemaError, table: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of an error: those that it carries, else its whole text as one.

    A group is taken apart. The table is the one for which the error was raised.
    """
    if isinstance(error, DiagnosticsError):
        return error.diagnostics
    if isinstance(error, ApplyErrors):
        parts = [part for part in error.exceptions if isinstance(part, DeltaSchemaError)]
        return tuple(diagnostic for part in parts for diagnostic in diagnostics_of(part, table))
    if isinstance(error, ApplyError):
        # The other lines are statements; an outcome has them as such.
        message = str(error).partition("\n")[0].removeprefix(f"{escaped(error.table)}: ")
        return (diagnostic_of(error.fault, error.table, message),)
    message = " ".join(str(error).split()).removeprefix(f"{escaped(table)}: ")
    return (diagnostic_of(error.fault, table, message),)


def note(fault: type[HasCode], table: object, path: str, message: str) -> Diagnostic:
    """Build a remark for which no table fails.

    The message is the fact, without the table's name; the path is ``""`` for the table itself.
    """
    return diagnostic_of(fault, table, message, path=path, severity="note")
