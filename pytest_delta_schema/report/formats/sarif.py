"""Findings as SARIF 2.1.0, as the code scanning of GitHub reads it.

Sources: the standard of OASIS, and GitHub's page on its support of SARIF. GitHub shows 5,000 results of a run, needs a
location for each, and takes the id of ``automationDetails`` up to its last slash as the category of an upload: a new
upload of a category replaces the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.report.codes import all_codes
from pytest_delta_schema.report.formats.grades import grade_of
from pytest_delta_schema.report.text.json_text import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.report.codes import CodeInfo
    from pytest_delta_schema.report.findings import Finding
    from pytest_delta_schema.report.formats.grades import Grade
    from pytest_delta_schema.report.run_report import RunReport

MOST_RESULTS = 5_000
"""How many results a file has; the worst are kept."""

_LEVELS: dict[Grade, str] = {
    "info": "note",
    "minor": "warning",
    "major": "error",
    "critical": "error",
    "blocker": "error",
}
_RANKS: dict[Grade, float] = {"info": 0.0, "minor": 25.0, "major": 50.0, "critical": 75.0, "blocker": 100.0}
"""The priority of a result, of 100."""

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_NAMELESS = "delta-schema"
"""The rule of a finding without a code."""


def sarif_json(report: RunReport) -> str:
    """Return the report as SARIF, worst first."""
    return json_text(_log(report), 4)


def _log(report: RunReport) -> dict[str, Any]:
    every = report.findings
    shown = every[:MOST_RESULTS]
    codes = sorted({finding.code or _NAMELESS for finding in shown})
    pages = {info.code: info for info in all_codes()}
    modes = "+".join(dict.fromkeys(run.mode for run in report.runs))
    left_out = len(every) - len(shown)
    notification = f"{left_out} of {len(every)} results omitted, the least severe"
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "pytest-delta-schema",
                        "version": report.runs[0].tool_version,
                        "rules": [_rule(code, pages.get(code)) for code in codes],
                    }
                },
                "automationDetails": {"id": f"delta-schema/{modes}/"},
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": report.is_complete and not report.faults,
                        **({"toolExecutionNotifications": [_notification(notification)]} if left_out else {}),
                    }
                ],
                "results": [_result(finding, codes) for finding in shown],
            }
        ],
    }


def _notification(text: str) -> dict[str, Any]:
    return {"level": "warning", "message": {"text": text}}


def _rule(code: str, page: CodeInfo | None) -> dict[str, Any]:
    """Return the description of a code; rules of a project have none but their code."""
    if page is None:
        name = summary = full = code
    else:
        name, summary, full = page.name, page.summary, f"{page.meaning}\n\n{page.remedy}"
    return {
        "id": code,
        "name": name,
        "shortDescription": {"text": summary},
        "fullDescription": {"text": full},
        "help": {"text": full},
        "defaultConfiguration": {"level": "error"},
    }


def _result(finding: Finding, codes: Sequence[str]) -> dict[str, Any]:
    location = finding.location
    region = {"startLine": location.line, "startColumn": location.column, "endLine": location.end_line}
    code, grade = finding.code or _NAMELESS, grade_of(finding)
    return {
        "ruleId": code,
        "ruleIndex": codes.index(code),
        "level": _LEVELS[grade],
        "rank": _RANKS[grade],
        "message": {"text": escaped(finding.text)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(location.file), "uriBaseId": _ROOT},
                    "region": {key: value for key, value in region.items() if value is not None},
                }
            }
        ],
        "partialFingerprints": {"primaryLocationLineHash": finding.fingerprint},
        "properties": {"table": finding.table, "path": finding.path, "risk": finding.risk},
    }
