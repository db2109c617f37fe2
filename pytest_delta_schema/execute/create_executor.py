"""Create tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.execute.capabilities import require_able
from pytest_delta_schema.execute.statement_runner import TableRun

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols import DeltaDDL
    from pytest_delta_schema.plan.actions import CreateTable


class CreateExecutor:
    """Creates a table in one statement, so that no half-made one can exist, and then adds its keys.

    Args:
        ddl: Where statements are run.
    """

    def __init__(self, ddl: DeltaDDL) -> None:
        self._ddl = ddl

    def start(self, action: CreateTable) -> TableRun:
        """Return the run of ``action``, of which nothing has run yet.

        Raises:
            UnsafePlanError: If the catalog cannot do all of it.
        """
        require_able(action, self._ddl)
        return TableRun(self._ddl, action, version=None)
