"""The terminal, while pytest captures everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.escaping import escaped_lines

if TYPE_CHECKING:
    import pytest


class Terminal:
    """Writes lines as pytest's own reporter does, and nothing where there is none.

    Args:
        config: The run's configuration.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._reporter: Any = config.pluginmanager.getplugin("terminalreporter")

    def write(self, text: str) -> None:
        """Write a text as lines of its own."""
        if self._reporter is not None and text.strip():
            self._reporter.write_line(escaped_lines(text))

    def flush(self) -> None:
        """Show what was written."""
        if self._reporter is not None:
            self._reporter.flush()
