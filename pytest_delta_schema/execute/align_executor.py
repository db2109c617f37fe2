"""Bring existing tables in line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.execute.preflight import preflight
from pytest_delta_schema.execute.run import run_all
from pytest_delta_schema.sql.compiler import statements

if TYPE_CHECKING:
    from pytest_delta_schema.execute.ddl import DeltaDDL
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.sql.statement import Statement


class AlignExecutor:
    """Asks the data first, and then runs one statement for each kind of change.

    Args:
        ddl: Where statements are run.
    """

    def __init__(self, ddl: DeltaDDL) -> None:
        self._ddl = ddl

    def apply(self, action: AlignTable) -> tuple[Statement, ...]:
        """Run ``action`` and return its statements.

        Raises:
            UnsafePlanError: If rows violate what it demands; nothing was changed.
            ApplyError: If a statement failed.
        """
        preflight(action, self._ddl)
        return run_all(self._ddl, statements(action), version=self._ddl.version(action.table))
