"""A memory catalog that creates tables in several threads."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from support.recording_catalog import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_delta_schema.sql.statement import Statement


class Concurrent(Recording):
    """Takes creations in several threads, as the local backend does.

    Args:
        threads: How many.
        before: Called with each statement before it runs, in its thread.
        stop: Called when an interruption leaves a block of creations.
    """

    def __init__(
        self,
        *args: Any,
        threads: int = 4,
        before: Callable[[Statement], object] = lambda _: None,
        stop: Callable[[], object] = lambda: None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.threads, self.before, self.stop = threads, before, stop
        self.blocks = 0
        self._lock = threading.Lock()

    @contextmanager
    def creating_concurrently(self) -> Iterator[int]:
        self.blocks += 1
        try:
            yield self.threads
        except KeyboardInterrupt:
            self.stop()
            raise

    def run(self, statement: Statement) -> None:
        self.before(statement)
        with self._lock:
            super().run(statement)
