"""Run a whole plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import ApplyError, DeltaSchemaError, SyncError, UnsafePlanError
from pytest_delta_schema.execute.align_executor import AlignExecutor
from pytest_delta_schema.execute.create_executor import CreateExecutor
from pytest_delta_schema.plan.actions import CreateTable

if TYPE_CHECKING:
    from pytest_delta_schema.errors import Violation
    from pytest_delta_schema.execute.ddl import DeltaDDL
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.sql.statement import Statement


class ActionRunner:
    """Runs the actions of a plan, creations first; a table that fails does not stop the others.

    Args:
        create_executor: Runs creations.
        align_executor: Runs alignments.
    """

    def __init__(self, create_executor: CreateExecutor, align_executor: AlignExecutor) -> None:
        self._create_executor = create_executor
        self._align_executor = align_executor

    @classmethod
    def over(cls, ddl: DeltaDDL) -> ActionRunner:
        """Build a runner with the usual executors over one catalog."""
        return cls(CreateExecutor(ddl), AlignExecutor(ddl))

    def apply(self, plan: TablePlan) -> tuple[Statement, ...]:
        """Run every action of ``plan`` and return the statements that ran.

        Raises:
            UnsafePlanError: If the data of tables refuses; all violations at once. Those tables are unchanged.
            ApplyError: If statements of one table failed.
            SyncError: If several tables failed, or one failed and the data of another refused.
        """
        ran: list[Statement] = []
        failures: list[ApplyError] = []
        violations: list[Violation] = []
        for action in plan.actions:
            try:
                ran.extend(self._apply(action))
            except UnsafePlanError as error:
                violations.extend(error.violations)
            except ApplyError as error:
                failures.append(error)
        _raise(failures, violations)
        return tuple(ran)

    def _apply(self, action: CreateTable | AlignTable) -> tuple[Statement, ...]:
        if isinstance(action, CreateTable):
            return self._create_executor.apply(action)
        return self._align_executor.apply(action)


def _raise(failures: list[ApplyError], violations: list[Violation]) -> None:
    errors: list[DeltaSchemaError] = [*failures]
    if violations:
        errors.append(UnsafePlanError(violations))
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise SyncError(errors)
