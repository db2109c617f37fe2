"""Colours of failures and of the summary, on a terminal only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.engine.outcome import Status
from pytest_delta_schema.plugin.outcome_report import properties_of
from pytest_delta_schema.plugin.pytest_compat import show_lines_with

if TYPE_CHECKING:
    from collections.abc import Mapping

_MARKUP: Mapping[str, dict[str, bool]] = {
    "+": {"green": True},
    "-": {"red": True},
    "~": {"yellow": True},
    "!": {"red": True},
    "unused": {"red": True},
    **{status.value: {"green": True} if status.is_good else {"red": True} for status in Status},
}
"""The colours of lines that begin so."""

_BEGINNING = re.compile(rf" {{2,6}}({'|'.join(map(re.escape, _MARKUP))}) +\S")


def markup_of(line: str) -> dict[str, bool]:
    """Return how a line is shown: changes, reasons that block a plan, and tables of the summary have colours.

    Args:
        line: One line.

    Returns:
        The arguments for pytest's terminal writer, which uses them on a terminal only; empty for other lines.
    """
    match = _BEGINNING.match(line)
    return {} if match is None else _MARKUP[match[1]]


class Colours:
    """Gives the failures of checks their colours, also those that workers of xdist have sent."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Show a failed check with colours, wherever it is shown on a terminal; other texts of it stay plain."""
        if report.failed and properties_of(report):
            show_lines_with(report, markup_of)
