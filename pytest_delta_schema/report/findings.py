"""List everything that is wrong in a report, worst first: the source of all annotations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.engine.outcomes.outcome import Status
from pytest_delta_schema.report.fingerprint import FingerprintedReport, fingerprint
from pytest_delta_schema.report.text.change_groups import is_creation
from pytest_delta_schema.settings.table import RISKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic, Severity
    from pytest_delta_schema.engine.outcomes.outcome import TableChange
    from pytest_delta_schema.report.fingerprint import ReportFingerprints, TableFingerprints
    from pytest_delta_schema.report.report_entries import Consents, TableReport

PROJECT_FILE = Location("pyproject.toml", 1)
"""Where a fault is shown that is in no declaration, such as a server that does not answer, because formats of code
reviews need a file, and a fault that was left out would be shown as corrected."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the worst."""

FindingKind = Literal["fault", "unreadable", "diagnostic", "change", "consent"]
_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault, or one remark that should be acted on."""

    kind: FindingKind
    """``fault`` concerns the whole run; ``consent`` is one that nothing needed. They are ordered."""
    severity: Severity
    """Whether the run fails for it."""
    code: str
    table: str
    """Dotted name of the model; ``""`` for none."""
    path: str
    """The part of the table; ``""`` for the table itself."""
    message: str
    """The fact, its reason and its remedy, on one line, without the table's name."""
    risk: str
    location: Location
    fingerprint: str
    """The same in every run in which the same thing is wrong."""

    @property
    def text(self) -> str:
        """The message with the table's name."""
        return f"{self.table}: {self.message}" if self.table else self.message


class ReportWithFindings(FingerprintedReport, Protocol):
    """The parts of a report in which something can be wrong."""

    @property
    def consents(self) -> Consents:
        """Which consents were used."""
        ...

    @property
    def fingerprints(self) -> ReportFingerprints:
        """The fingerprint of each change and each diagnostic."""
        ...


def findings(report: ReportWithFindings) -> tuple[Finding, ...]:
    """Return everything that is wrong in a report, worst first; nothing of a table that passes but its warnings.

    A table that does not exist is one finding, whatever columns it would have. Equally bad ones of a table keep their
    order; that of the tables does not matter.
    """
    numbers = report.fingerprints
    every = [
        *(
            _of_diagnostic(fault, "", PROJECT_FILE, number, "fault")
            for fault, number in zip(report.faults, numbers.faults, strict=True)
        ),
        *map(_of_consent, report.consents.unused),
        *(
            _of_diagnostic(diagnostic, diagnostic.table, PROJECT_FILE, number)
            for diagnostic, number in zip(report.unmanaged, numbers.unmanaged, strict=True)
        ),
        *(
            finding
            for table, of_table in zip(report.tables, numbers.tables, strict=True)
            for finding in _of_table(table, of_table)
        ),
    ]
    return tuple(sorted(every, key=_order))


def _of_consent(consent: str) -> Finding:
    return Finding(
        kind="consent",
        severity="error",
        code="",
        table="",
        path="",
        message=f"the consent '{consent}' is not needed; remove it",
        risk="",
        location=PROJECT_FILE,
        fingerprint=fingerprint("", "", f"consent {consent}", ""),
    )


def _of_table(table: TableReport, numbers: TableFingerprints) -> Iterator[Finding]:
    location = table.location or PROJECT_FILE
    kind: FindingKind = "unreadable" if table.status is Status.UNREADABLE else "diagnostic"
    for diagnostic, number in zip(table.diagnostics, numbers.diagnostics, strict=True):
        yield _of_diagnostic(diagnostic, table.name, location, number, kind)
    for remark, number in zip(table.notes, numbers.notes, strict=True):
        if remark.severity != "note":
            yield _of_diagnostic(remark, table.name, location, number)
    if table.status.passes:
        return
    created = {change.table for change in table.changes if is_creation(change)}
    for change, number in zip(table.changes, numbers.changes, strict=True):
        if change.table not in created or is_creation(change):
            yield Finding(
                kind="change",
                severity="error",
                code=change.code,
                table=table.name,
                path=change.path,
                message=_change_text(change, table),
                risk=change.risk,
                location=change.location or location,
                fingerprint=number,
            )


def _change_text(change: TableChange, table: TableReport) -> str:
    where = "" if change.table == table.stored_as else f"{change.table} "
    risk = f" [{change.risk}{f': {change.loss}' if change.loss else ''}]" if change.risk not in ("", RISKS[0]) else ""
    owner = f"; no apply changes it, because the model does not manage {change.aspect}" if change.aspect else ""
    return f"{where}{change.path}: {change.before} -> {change.after}{risk}{owner}"


def _of_diagnostic(
    diagnostic: Diagnostic, table: str, location: Location, number: str, kind: FindingKind = "diagnostic"
) -> Finding:
    return Finding(
        kind=kind,
        severity=diagnostic.severity,
        code=diagnostic.code,
        table=table,
        path=diagnostic.path,
        message=diagnostic.fact,
        risk="",
        location=diagnostic.location or location,
        fingerprint=number,
    )


def _order(finding: Finding) -> tuple[int, int, int, str]:
    risk = -RISKS.index(finding.risk) if finding.risk else 1
    return (SEVERITIES.index(finding.severity), _KINDS.index(finding.kind), risk, finding.table)
