"""How the apply of each table ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import (
    ApplyErrors,
    ConvergenceError,
    DiagnosticsError,
    UnfinishedCreationError,
    UnsafePlanError,
)
from pytest_delta_schema.execute.statement_runner import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable
    from pytest_delta_schema.sql.statement import Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """How the apply of one table ended.

    Args:
        table: Its name in the catalog.
        action: What was planned; ``None`` if the table had no drift.
        statements: The statements that ran, in order.
        error: Why it failed; ``None`` if the table is aligned.
        is_complete: Whether all planned statements ran.
        is_already_there: Whether another apply has created the table, and runs the rest of the statements.
    """

    table: QualifiedName
    action: CreateTable | AlignTable | None = None
    statements: tuple[Statement, ...] = ()
    error: DeltaSchemaError | None = None
    is_complete: bool = False
    is_already_there: bool = False


def statements_of(results: Iterable[TableResult]) -> tuple[Statement, ...]:
    """Return the statements that ran for several tables, in the order in which they ran one after the other."""
    statements = [statement for result in results for statement in result.statements]
    return tuple(statement for stage in Stage for statement in statements if statement.kind in stage.value)


def combined_error(results: Iterable[TableResult]) -> DeltaSchemaError | None:
    """Return the errors of several tables as one; ``None`` if no table failed."""
    errors = all_errors(results)
    return ApplyErrors(errors) if len(errors) > 1 else next(iter(errors), None)


def all_errors(results: Iterable[TableResult]) -> tuple[DeltaSchemaError, ...]:
    """Return the errors of several tables; those with diagnostics, and those with remaining changes, are joined."""
    errors = tuple(dict.fromkeys(result.error for result in results if result.error is not None))
    if len(errors) < 2:  # noqa: PLR2004 - nothing to join
        return errors
    left = [line for error in errors if isinstance(error, ConvergenceError) for line in error.lines]
    joined: dict[type[DiagnosticsError], list[Diagnostic]] = {}
    for error in errors:
        # What another apply creates was not waited for if a table of this one differs.
        if isinstance(error, DiagnosticsError) and not (left and isinstance(error, UnfinishedCreationError)):
            joined.setdefault(type(error), []).extend(error.diagnostics)
    violations = joined.pop(UnsafePlanError, [])
    return (
        *(error for error in errors if not isinstance(error, (ConvergenceError, DiagnosticsError))),
        *(kind(diagnostics) for kind, diagnostics in joined.items()),
        *([ConvergenceError(left)] if left else []),
        *([UnsafePlanError(violations)] if violations else []),
    )
