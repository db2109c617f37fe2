"""Findings as a Code Quality report of GitLab.

Source: GitLab reads an array of objects with ``description``, ``check_name``, ``fingerprint``, ``severity`` and
``location``; a fingerprint may occur once, and paths have no leading ``./``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.report.formats.grades import grade_of
from pytest_delta_schema.report.text.json_text import json_text

if TYPE_CHECKING:
    from pytest_delta_schema.report.findings import Finding
    from pytest_delta_schema.report.run_report import RunReport


def gitlab_json(report: RunReport) -> str:
    """Return the report in the form of GitLab's Code Quality, worst first."""
    return json_text([_issue(finding) for finding in report.findings], 1)


def _issue(finding: Finding) -> dict[str, object]:
    return {
        "description": escaped(finding.text),
        "check_name": finding.code or "delta-schema",
        "fingerprint": finding.fingerprint,
        "severity": grade_of(finding),
        "location": {"path": finding.location.file, "lines": {"begin": finding.location.line}},
    }
