"""Findings as lines that a CI system reads from the log: GitHub Actions, and Azure Pipelines.

Sources: the runner of GitHub Actions shows ten errors and ten warnings a step, and decodes ``%25``, ``%0D``, ``%0A`` in
messages, ``%3A`` and ``%2C`` in properties as well; the agent of Azure Pipelines decodes ``%AZP25``, ``%0D``, ``%0A``
in messages, ``%3B`` and ``%5D`` in properties as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import escaped, without_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_delta_schema.diagnostics.errors import Severity
    from pytest_delta_schema.report.findings import Finding
    from pytest_delta_schema.report.run_report import RunReport

SHOWN = 9
"""How many errors, and how many warnings, have a line of their own; one more line counts the others."""

_LINES = {"\r": "%0D", "\n": "%0A"}
_GITHUB_TEXT = str.maketrans({"%": "%25", **_LINES})
_GITHUB_PROPERTY = str.maketrans({"%": "%25", **_LINES, ":": "%3A", ",": "%2C"})
_AZURE_TEXT = str.maketrans({"%": "%AZP25", **_LINES})
_AZURE_PROPERTY = str.maketrans({"%": "%AZP25", **_LINES, ";": "%3B", "]": "%5D"})


def github_lines(report: RunReport) -> tuple[str, ...]:
    """Return the annotations of GitHub Actions, errors first, each kind worst first.

    There are at most ten errors and ten warnings; each has to start a line.
    """
    return _lines(report.findings, _github_line, "::{}::{}", _GITHUB_TEXT)


def azure_lines(report: RunReport) -> tuple[str, ...]:
    """Return the issues of Azure Pipelines, errors first, each kind worst first.

    There are at most ten errors and ten warnings; each has to start a line.
    """
    return _lines(report.findings, _azure_line, "##vso[task.logissue type={}]{}", _AZURE_TEXT)


def _lines(
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
