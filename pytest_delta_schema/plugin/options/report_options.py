"""Find out which reports a run writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.configuration.report_targets import ReportTarget, faults_of_reports, report_files
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.plugin.compat.xdist_compat import is_worker
from pytest_delta_schema.plugin.options.registration import is_on_github
from pytest_delta_schema.report.formats.report_formats import EXTENSIONS

if TYPE_CHECKING:
    import pytest

    from pytest_delta_schema.configuration.report_targets import ReportFile
    from pytest_delta_schema.plugin.options.sources import Sources


def reports_to_write(config: pytest.Config, sources: Sources) -> tuple[ReportFile, ...]:
    """Return the reports to write; the command line turns off what files ask for.

    On GitHub Actions that of the type ``github`` is written without being asked for.
    """
    command_line, ini, toml = sources.given["report"]
    by_itself = [ReportTarget("github", "", "")] if is_on_github() else []
    reports = report_files((*by_itself, *(toml or ()), *(ini or ()), *(command_line or ())), EXTENSIONS)
    # A worker of xdist writes no report.
    if not is_worker(config):
        sources.faults += map(escaped, faults_of_reports(reports, EXTENSIONS))
    return reports
