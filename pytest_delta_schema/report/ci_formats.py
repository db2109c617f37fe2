"""Findings for CI systems: GitLab Code Quality, SARIF, and the annotations of GitHub Actions and Azure Pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from pytest_delta_schema.diagnostics.faults import SnapshotDiffers
from pytest_delta_schema.diagnostics.text import escaped, without_commands
from pytest_delta_schema.report.codes import all_codes
from pytest_delta_schema.state.json_shapes import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_delta_schema.diagnostics.errors import Severity
    from pytest_delta_schema.report.codes import CodeInfo
    from pytest_delta_schema.report.run_report import Finding, RunReport


def gitlab_json(report: RunReport) -> str:
    """Return the report in the form of GitLab's Code Quality, worst first."""
    return json_text([_gitlab_issue(finding) for finding in report.findings], 1)


def _gitlab_issue(finding: Finding) -> dict[str, object]:
    return {
        "description": escaped(finding.text),
        "check_name": finding.code or "delta-schema",
        "fingerprint": finding.fingerprint,
        "severity": grade_of(finding),
        "location": {"path": finding.location.file, "lines": {"begin": finding.location.line}},
    }


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

_SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SOURCE_ROOT = "%SRCROOT%"
_NAMELESS = "delta-schema"
"""The rule of a finding without a code."""


def sarif_json(report: RunReport) -> str:
    """Return the report as SARIF, worst first."""
    return json_text(_sarif_log(report), 4)


def _sarif_log(report: RunReport) -> dict[str, Any]:
    every = report.findings
    shown = every[:MOST_RESULTS]
    codes = sorted({finding.code or _NAMELESS for finding in shown})
    pages = {info.code: info for info in all_codes()}
    modes = "+".join(dict.fromkeys(run.mode for run in report.runs))
    left_out = len(every) - len(shown)
    notification = f"{left_out} of {len(every)} results omitted, the least severe"
    return {
        "$schema": _SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "pytest-delta-schema",
                        "version": report.runs[0].tool_version,
                        "rules": [_sarif_rule(code, pages.get(code)) for code in codes],
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
                "results": [_sarif_result(finding, codes) for finding in shown],
            }
        ],
    }


def _notification(text: str) -> dict[str, Any]:
    return {"level": "warning", "message": {"text": text}}


def _sarif_rule(code: str, page: CodeInfo | None) -> dict[str, Any]:
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


def _sarif_result(finding: Finding, codes: Sequence[str]) -> dict[str, Any]:
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
                    "artifactLocation": {"uri": quote(location.file), "uriBaseId": _SOURCE_ROOT},
                    "region": {key: value for key, value in region.items() if value is not None},
                }
            }
        ],
        "partialFingerprints": {"primaryLocationLineHash": finding.fingerprint},
        "properties": {"table": finding.table, "path": finding.path, "risk": finding.risk},
    }


Grade = Literal["info", "minor", "major", "critical", "blocker"]
"""From the best, named as those of GitLab's Code Quality."""

_BY_RISK: dict[str, Grade] = {
    "metadata": "minor",
    "feature": "major",
    "scan": "major",
    "rewrite": "critical",
    "destructive": "blocker",
}

_REMARKS: dict[str, Grade] = {"warning": "minor", "note": "info"}


def grade_of(finding: Finding) -> Grade:
    """Return the grade of a finding: that of the risk for a change.

    SQL that nobody has accepted yet is ``minor``; what cannot be read, or is refused, is ``critical``.
    """
    if finding.severity != "error":
        return _REMARKS[finding.severity]
    if finding.kind == "change":
        return _BY_RISK.get(finding.risk, "minor")
    return "minor" if finding.code == SnapshotDiffers.code else "critical"


SHOWN = 9
"""How many errors, and how many warnings, have a line of their own; one more line counts the others."""

_LINE_ENDS = {"\r": "%0D", "\n": "%0A"}
_GITHUB_TEXT = str.maketrans({"%": "%25", **_LINE_ENDS})
_GITHUB_PROPERTY = str.maketrans({"%": "%25", **_LINE_ENDS, ":": "%3A", ",": "%2C"})
_AZURE_TEXT = str.maketrans({"%": "%AZP25", **_LINE_ENDS})
_AZURE_PROPERTY = str.maketrans({"%": "%AZP25", **_LINE_ENDS, ";": "%3B", "]": "%5D"})


def github_lines(report: RunReport) -> tuple[str, ...]:
    """Return the annotations of GitHub Actions, errors first, each kind worst first."""
    return _annotations(report.findings, _github_line, "::{}::{}", _GITHUB_TEXT)


def azure_lines(report: RunReport) -> tuple[str, ...]:
    """Return the issues of Azure Pipelines, errors first, each kind worst first."""
    return _annotations(report.findings, _azure_line, "##vso[task.logissue type={}]{}", _AZURE_TEXT)


def _annotations(
    everything: Iterable[Finding], line: Callable[[Finding], str], plain: str, text: dict[int, str]
) -> tuple[str, ...]:
    lines: list[str] = []
    severities: tuple[Severity, ...] = ("error", "warning")
    for severity in severities:
        matching = [finding for finding in everything if finding.severity == severity]
        lines += map(line, matching[:SHOWN])
        left = len(matching) - SHOWN
        if left > 0:
            fact = (
                f"delta schema: and {left} more {severity}{'' if left == 1 else 's'}; the log of the run has them all"
            )
            lines.append(plain.format(severity, fact.translate(text)))
    return tuple(lines)


def _safe(value: object) -> str:
    """Escape a part of a line so that no parser finds another command in it."""
    return without_commands(escaped(value))


def _github_line(finding: Finding) -> str:
    location = finding.location
    title = " ".join(part for part in (finding.code, finding.table) if part) or "delta schema"
    properties = {"file": location.file, "line": location.line, "col": location.column, "title": title}
    shown = ",".join(
        f"{key}={_safe(value).translate(_GITHUB_PROPERTY)}" for key, value in properties.items() if value is not None
    )
    return f"::{finding.severity} {shown}::{_safe(finding.text).translate(_GITHUB_TEXT)}"


def _azure_line(finding: Finding) -> str:
    location = finding.location
    properties = {
        "type": finding.severity,
        "sourcepath": location.file,
        "linenumber": location.line,
        "columnnumber": location.column,
        "code": finding.code or None,
    }
    shown = ";".join(
        f"{key}={_safe(value).translate(_AZURE_PROPERTY)}" for key, value in properties.items() if value is not None
    )
    return f"##vso[task.logissue {shown}]{_safe(finding.text).translate(_AZURE_TEXT)}"
