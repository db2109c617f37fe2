"""Report the statements of an apply after which its tables could not be read back, or their entries synchronised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import ApplyErrors, MetadataSyncError, UnprovedApplyError
from pytest_delta_schema.diagnostics.escaping import escaped, escaped_lines
from pytest_delta_schema.execute.interruption import all_done, listing
from pytest_delta_schema.sql.compiler import statements

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import ApplyError, DeltaSchemaError
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable
    from pytest_delta_schema.plan.table_plan import TablePlan


def unproved(plan: TablePlan, cause: DeltaSchemaError) -> ApplyError | ApplyErrors:
    """Return the error of an apply whose statements have all run.

    Args:
        plan: What was carried out.
        cause: Why its tables could not be read back, or why catalog entries could not be synchronised.
    """
    errors = [unproved_action(action, cause) for action in plan.actions]
    return errors[0] if len(errors) == 1 else ApplyErrors(errors)


def unproved_action(action: CreateTable | AlignTable, cause: DeltaSchemaError) -> ApplyError:
    """Return the error of one table; see :func:`unproved`."""
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
    return UnprovedApplyError(
        "\n".join(lines),
        table=str(action.table),
        done=[statement.sql for statement in ran],
        failed="",
        not_run=(),
        version=progress.version,
    )
