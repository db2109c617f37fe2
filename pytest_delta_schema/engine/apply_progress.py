"""What a run has applied, for the case that it is interrupted."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.execute.action_runner import ActionRunner
    from pytest_delta_schema.execute.interruption import ApplyInterrupted


class Applying:
    """Remembers which tables were reached, and how far the last ones had come."""

    def __init__(self) -> None:
        self._reached: set[str] = set()
        self._runner: ActionRunner | None = None
        self._stop: ApplyInterrupted | None = None

    @contextmanager
    def by(self, runner: ActionRunner) -> Iterator[None]:
        """Remember an apply by ``runner`` inside of the block; its interruption goes on without a text."""
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
        self._reached.update(str(each.table) for each in runner.progress())
        self._runner = None

    def stories(self) -> list[str]:
        """Return how far each table of an apply that did not end had come, and why others had failed before."""
        if self._stop is not None:
            return [*map(str, self._stop.errors), *map(str, self._stop.tables)]
        return [] if self._runner is None else [str(each) for each in self._runner.progress()]

    def reached(self) -> set[str]:
        """Return the names of the tables that have stories, or were applied with another one."""
        unended = () if self._runner is None else self._runner.progress()
        return self._reached | {str(each.table) for each in unended}
