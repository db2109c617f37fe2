"""How bad a finding is: one scale for the formats that sort and filter findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pytest_delta_schema.diagnostics.faults import SnapshotDiffers

if TYPE_CHECKING:
    from pytest_delta_schema.report.findings import Finding

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
