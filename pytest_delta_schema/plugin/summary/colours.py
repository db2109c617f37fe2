"""Colours of failures and of the summary, on a terminal only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.plugin.compat.pytest_compat import show_lines_with
from pytest_delta_schema.plugin.outcomes.check_properties import properties_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_COLOURS: Mapping[str, str] = {
    "+": "green",
    "-": "red",
    "~": "yellow",
    "!": "red",
    "valid": "green",
    "enforced": "green",
    "compatible": "green",
    "in sync": "green",
    "applied": "green",
    "metadata synced": "green",
    "not judged": "yellow",
    "drifted": "red",
    "incompatible": "red",
    "blocked": "red",
    "stale metadata": "red",
    "not enforced": "red",
    "failed": "red",
    "unreadable": "red",
    "unused": "red",
}
"""The colours of lines that begin so: the marks of changes, and the words of the summary.

They are written out, because this module is loaded also where pyspark is not installed; a test holds that no status is
missing."""

_BEGINNING = rf" {{2,6}}({'|'.join(map(re.escape, _COLOURS))}) +\S"


def markup_of(line: str) -> dict[str, bool]:
    """Return how a line is shown: changes, reasons that block a plan, and tables of the summary have colours.

    It returns the arguments for pytest's terminal writer, which uses them on a terminal only; empty for other lines.
    """
    match = re.match(_BEGINNING, line)
    return {} if match is None else {_COLOURS[match[1]]: True}


class Colours:
    """Gives the failures of checks their colours, also those that workers of xdist have sent."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Show a failed check with colours, wherever it is shown on a terminal; other texts of it stay plain."""
        if report.failed and properties_of(report):
            show_lines_with(report, markup_of)
