"""The progress of the applies of a run, for the report of an interruption."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from pytest_delta_schema.execute.interruption import ApplyInterrupted, InterruptedTable

    class _Runner(Protocol):
        def progress(self) -> tuple[InterruptedTable, ...]: ...


class ApplyProgress:
    """Records which tables were applied, and how far an apply came that did not end."""

    def __init__(self) -> None:
        self._reached: set[str] = set()
        self._runner: _Runner | None = None
        self._stop: ApplyInterrupted | None = None

    @contextmanager
    def by(self, runner: _Runner) -> Iterator[None]:
        """Record the apply that ``runner`` does inside the block; an interruption is raised again without its text."""
        from pytest_delta_schema.execute.interruption import ApplyInterrupted

        self._runner = runner
        try:
            yield
        except ApplyInterrupted as stop:
            self._stop = stop
            raise KeyboardInterrupt from None
        except Exception:
            self._runner = None
            raise
        self._reached.update(str(table.table) for table in runner.progress())
        self._runner = None

    def texts(self) -> list[str]:
        """Return how far each table of an apply came that did not end, and why others had failed before."""
        if self._stop is not None:
            return [*map(str, self._stop.errors), *map(str, self._stop.tables)]
        return [] if self._runner is None else [str(table) for table in self._runner.progress()]

    def reached(self) -> set[str]:
        """Return the names of the tables that were applied, or whose apply did not end."""
        unfinished = () if self._runner is None else self._runner.progress()
        return self._reached | {str(table.table) for table in unfinished}
