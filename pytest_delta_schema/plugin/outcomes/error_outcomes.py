"""Outcomes of checks that an error has ended, in set-up or in code of the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.diagnostic_builders import diagnostic_of
from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.engine.outcomes.outcome import CheckKind, Status, TableOutcome
from pytest_delta_schema.plugin.outcomes.check_properties import TABLE, properties_of
from pytest_delta_schema.plugin.outcomes.failures import cause_of, fault_of

if TYPE_CHECKING:
    import pytest


def error_outcome(config: pytest.Config, report: pytest.TestReport) -> TableOutcome | None:
    """Return the outcome of a check that an error has ended; ``None`` if none has.

    The report is that of the check, which carries no outcome, or that of a fault of the whole run.
    """
    cause = cause_of(report)
    if not (cause or report.failed):
        return None
    status = Status.UNREADABLE if cause or report.when == "setup" else Status.FAILED
    text, table, (file, line, _) = cause or _crash(report), properties_of(report)[TABLE], report.location
    location = None if line is None else Location(str(Path(config.rootpath, file)), line + 1)
    return TableOutcome(
        table=table,
        check=next(check for check in CheckKind if f"delta_{check.value}" in report.keywords),
        status=status,
        diagnostics=(diagnostic_of(fault_of(report), table, text, location=location),),
        location=location,
        failure=text,
    )


def _crash(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0] if lines else ""
