"""Show log records of long work on the terminal while pytest captures everything else."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.escaping import escaped_lines

if TYPE_CHECKING:
    import pytest

_LOGGER = "pytest_delta_schema"


class TerminalHandler(logging.Handler):
    """Writes log records as lines of pytest's terminal reporter; none where there is no reporter, as in xdist workers.

    Args:
        config: The run's configuration.
    """

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(logging.INFO)
        self._config = config

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record at once."""
        write_lines(self._config, f"delta schema: {record.getMessage()}")


def write_lines(config: pytest.Config, text: str) -> None:
    """Write a text on the terminal at once, as lines of its own; nothing where there is no reporter.

    Args:
        config: The run's configuration.
        text: The lines; empty to flush only.
    """
    reporter: Any = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None:
        if text:
            reporter.write_line(escaped_lines(text))
        reporter.flush()


def show_progress(config: pytest.Config) -> None:
    """Show what this package logs, from INFO on, until the run ends; in nested runs only the innermost one shows it.

    Args:
        config: The run's configuration.
    """
    logger = logging.getLogger(_LOGGER)
    level, outer = logger.level, [handler for handler in logger.handlers if isinstance(handler, TerminalHandler)]
    handler = TerminalHandler(config)
    for other in outer:
        logger.removeHandler(other)
    logger.addHandler(handler)
    if logger.getEffectiveLevel() > logging.INFO:
        logger.setLevel(logging.INFO)

    def restore() -> None:
        logger.removeHandler(handler)
        logger.setLevel(level)
        for other in outer:
            logger.addHandler(other)

    config.add_cleanup(restore)
