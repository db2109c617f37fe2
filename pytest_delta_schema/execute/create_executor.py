"""Create tables."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_delta_schema.execute.concurrent_creation import CreatesConcurrently
from pytest_delta_schema.execute.protocols.capabilities import require_able
from pytest_delta_schema.execute.statement_runner import TableRun
from pytest_delta_schema.progress import step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_delta_schema.execute.protocols.catalog import DeltaDDL
    from pytest_delta_schema.execute.protocols.lag import Lag
    from pytest_delta_schema.plan.actions import CreateTable


class CreateExecutor:
    """Starts creations: one statement creates the whole table, then its keys are added.

    Args:
        ddl: Where statements are run.
    """

    def __init__(self, ddl: DeltaDDL) -> None:
        self._ddl = ddl

    @property
    def lag(self) -> Lag:
        """How long reads of the catalog may miss what the statements have changed."""
        return self._ddl.capabilities.lag

    def start(self, action: CreateTable) -> TableRun:
        """Return the run of ``action``, of which nothing has run yet.

        Raises:
            UnsafePlanError: If the catalog cannot run all statements.
        """
        require_able(action, self._ddl)
        return TableRun(self._ddl, action, version=None)

    @contextmanager
    def threads(self, title: str, tables: int, done: Callable[[], int]) -> Iterator[int]:
        """Allow to create several tables at once inside of the block, if the catalog can do that.

        Args:
            title: What is done with them, such as ``creating``, for the log.
            tables: How many tables are created.
            done: Returns how many have been created; it is called in another thread.

        Returns:
            The number of threads; 1 if the tables have to be created one by one, in the calling thread.

        Raises:
            StillRunning: Instead of a ``KeyboardInterrupt``, if a statement could not be stopped.
        """
        if tables > 1 and isinstance(self._ddl, CreatesConcurrently):
            with (
                step(f"{title} {tables:,} tables", lambda: f"{done():,} of {tables:,}"),
                self._ddl.creating_concurrently() as threads,
            ):
                yield min(threads, tables)
        else:
            yield 1
