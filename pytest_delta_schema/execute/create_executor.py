"""Create tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.execute.run import run_all
from pytest_delta_schema.sql.compiler import statements

if TYPE_CHECKING:
    from pytest_delta_schema.execute.ddl import DeltaDDL
    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.sql.statement import Statement


class CreateExecutor:
    """Creates a table in one statement, so that no half-made one can exist, and then adds its key.

    Args:
        ddl: Where statements are run.
    """

    def __init__(self, ddl: DeltaDDL) -> None:
        self._ddl = ddl

    def apply(self, action: CreateTable) -> tuple[Statement, ...]:
        """Run ``action`` and return its statements.

        Raises:
            ApplyError: If a statement failed.
        """
        return run_all(self._ddl, statements(action), version=None)
