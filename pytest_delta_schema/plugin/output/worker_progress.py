"""Send log records of long work from the workers of xdist to the process that has the terminal."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.progress import PHASE, SECONDS, STEP

if TYPE_CHECKING:
    import pytest

_INPUT = "delta_schema_progress"
"""The name of the channel in the input of workers."""


class WorkerHandler(logging.Handler):
    """Sends log records to the process that controls the workers."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(logging.INFO)
        self._channel: Any = config.workerinput[_INPUT]  # type: ignore[attr-defined]

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record at once, unless the controlling process has ended."""
        about_step = {name: getattr(record, name) for name in (PHASE, STEP, SECONDS) if hasattr(record, name)}
        # A record that cannot be sent must not replace the interruption during which it is logged.
        with suppress(OSError):
            self._channel.send({"levelno": record.levelno, "msg": record.getMessage(), **about_step})


class WorkerRecords:
    """Shows the log records of workers.

    Several workers may start Spark, or read the same tables, at the same time. Of such steps one worker is shown.
    """

    def __init__(self, handler: logging.Handler) -> None:
        self._handler = handler
        self._shown: dict[str, str] = {}

    def show_those_of(self, node: Any) -> None:
        """Show the records of a worker, which has not started yet."""
        worker = str(node.gateway.id)
        channel = node.gateway.newchannel()
        channel.setcallback(lambda values: self._show(worker, logging.makeLogRecord(values)))
        node.workerinput[_INPUT] = channel

    def _show(self, worker: str, record: logging.LogRecord) -> None:
        """Show a record of a worker, unless another record is shown for its step."""
        text = getattr(record, STEP, None)
        if text is not None:
            ends = getattr(record, PHASE) == "end"
            shown = self._shown.get(text) if ends else self._shown.setdefault(text, worker)
            if shown != worker:
                return
            if ends:
                del self._shown[text]
        self._handler.handle(record)
