"""The findings and notes of one write."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_delta_schema.diagnostics.errors import Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFault:
    """A reason why a write is refused, before it is reported for a table."""

    path: str
    """The column or field, with dots; ``""`` for the whole frame."""
    rule: str
    """The name of the fault, such as ``extra-column``."""
    condition: str
    """The error condition that Delta or Spark raises, such as ``DELTA_METADATA_MISMATCH``."""
    message: str
    """The fact and its reason."""
    remedy: str
    """What to do about it, such as the option to set or the line to add to the model."""


@dataclass(slots=True, kw_only=True)
class Collector:
    """Collects the findings and the notes of one write."""

    table: str
    findings: list[WriteFault] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)

    def note(self, path: str, message: str) -> None:
        """Add an effect of the write on a column or field, with dots; ``""`` for the table itself."""
        self.notes.append(Diagnostic(severity="note", table=self.table, path=path, message=message))

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return the findings in the shape of all reports; their codes are the error conditions."""
        return tuple(
            Diagnostic(
                code=finding.condition,
                rule=finding.rule,
                table=self.table,
                path=finding.path,
                message=finding.message,
                remedy=finding.remedy,
            )
            for finding in self.findings
        )
