"""Create tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.execute.capabilities import require_able
from pytest_delta_schema.execute.statement_runner import TableRun

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols import DeltaDDL
    from pytest_delta_schema.plan.actions import CreateTable


class CreateExecutor:
    """Starts creations: one statement creates the whole table, then its keys are added.

    Args:
        ddl: Where statements are run.
    """

    def __init__(self, ddl: DeltaDDL) -> None:
        self._ddl = ddl

    def start(self, action: CreateTable) -> TableRun:
        """Return the run of ``action``, of which nothing has run yet.

        Raises:
            UnsafePlanError: If the catalog cannot run all statements.
        """
        require_able(action, self._ddl)
        return TableRun(self._ddl, action, version=None)
