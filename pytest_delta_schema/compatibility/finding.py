"""The findings of a comparison over time: what breaks whom, and who is upgraded first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.compatibility.roles import ROLE_WORDS, worse
from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath, path_text
from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.diagnostics.escaping import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.compatibility.roles import CompatibilityVerdict
    from pytest_delta_schema.diagnostics.errors import Severity
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.settings.compatibility_roles import Role

_SEVERITIES: dict[CompatibilityVerdict, Severity] = {
    "breaking": "error",
    "not judged": "error",
    "dangerous": "warning",
    "safe": "note",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompatibilityFinding:
    """The effect of one change of a contract on one role.

    Args:
        code: The code of the change, such as ``DC101``.
        rule: The name of the change, such as ``ColumnRemoved``.
        role: Whom it concerns: ``readers``, ``readers-by-position``, ``readers-by-path``, ``streams``,
            ``tracked-streams``, ``change-feed``, ``writers``, ``writers-by-position``, ``writers-by-merge`` or
            ``clients``.
        verdict: ``breaking``, ``dangerous``, ``safe`` or ``not judged``.
        table: Name of the table in the contract.
        path: The part of the table, such as ``columns.id``; ``""`` for the table itself.
        column: The column or field under its released name; empty for the table.
        before: What the released contract has.
        after: What the new one has.
        reason: What the role meets.
        upgrade_first: Who has to do what, and when: ``upgrade readers before this release``; ``""`` for nobody.
        remedy: What else helps; ``""`` for nothing.
        subject: What messages call the part.
    """

    code: str
    rule: str
    role: Role
    verdict: CompatibilityVerdict
    table: QualifiedName
    path: str = ""
    column: ColumnPath = TABLE
    before: str
    after: str
    reason: str
    upgrade_first: str = ""
    remedy: str = ""
    subject: str = ""

    @property
    def message(self) -> str:
        """The fact and its reason, without the name of the table."""
        return f"{self.subject}: {self.before} -> {self.after}: {ROLE_WORDS[self.role]} {self.reason}"

    @property
    def advice(self) -> str:
        """Who is upgraded first, and what else helps."""
        return "; ".join(part for part in (self.upgrade_first, self.remedy) if part)

    @property
    def consent(self) -> str:
        """The consent that allows it: ``break dev.silver.orders.note``; ``""`` for what is safe."""
        if self.verdict == "safe":
            return ""
        names = (*self.table, *self.column.folded)
        return f"break {path_text(names)}"

    @property
    def diagnostic(self) -> Diagnostic:
        """The finding in the shape of all reports."""
        return Diagnostic(
            code=self.code,
            rule=self.rule,
            severity=_SEVERITIES[self.verdict],
            table=str(self.table),
            path=self.path,
            message=self.message,
            remedy=self.advice,
            role=self.role,
            verdict=self.verdict,
            upgrade_first=self.upgrade_first,
        )

    def __str__(self) -> str:
        advice = f"; {self.advice}" if self.advice else ""
        return escaped(f"{self.table}: {self.verdict}: {self.message}{advice} [{self.code} {self.rule}]")


def worst_verdict(findings: Iterable[CompatibilityFinding]) -> CompatibilityVerdict:
    """Return the worst verdict of some findings: ``safe``, ``dangerous``, ``not judged``, and then ``breaking``.

    Args:
        findings: Such as those of one role; none are safe.
    """
    worst: CompatibilityVerdict = "safe"
    for finding in findings:
        worst = worse(worst, finding.verdict)
    return worst
