"""The verdict on a write: whether Delta accepts it, the schema of the table after it, and the reasons of a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.state.adopting import spark_struct

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state.types import ColumnState


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteVerdict:
    """The prediction of what Delta does with a write.

    Args:
        table: Dotted name of the table.
        accepted: Whether the schemas allow the write; values may still violate casts, NOT NULL and checks.
        columns: The columns of the table after the write; after a refused write, its present columns.
        findings: The reasons of a refusal, in the order in which Delta checks them; Delta raises the first. In each,
            ``rule`` is the name of the fault, such as ``extra-column``, and ``code`` is the error condition of Delta or
            Spark, such as ``DELTA_METADATA_MISMATCH``.
        notes: Effects of an accepted write: columns that are added, filled or cast, a layout that is removed.
        replaces: Which rows an accepted overwrite replaces, in words, such as ``all rows``; ``""`` if it replaces none.
    """

    table: str
    accepted: bool
    columns: tuple[ColumnState, ...]
    findings: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    replaces: str = ""

    @property
    def resulting_schema(self) -> StructType:
        """The schema of the table after the write, as a Spark ``StructType``."""
        return spark_struct(self.columns)

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the faults, without repetition."""
        return tuple(dict.fromkeys(finding.rule for finding in self.findings))

    def __str__(self) -> str:
        head = f"{self.table}: the write is {'accepted' if self.accepted else 'refused'}"
        return "\n".join(
            [
                head,
                *(f"  ! {reason_of(finding)}" for finding in self.findings),
                *([f"  replaces {self.replaces}"] if self.replaces else []),
                *(f"  note: {note.message}" for note in self.notes),
            ]
        )


def reason_of(finding: Diagnostic) -> str:
    """Return the text of a finding without the name of the table."""
    return f"{finding.message}; {finding.remedy} [{finding.code} {finding.rule}]"
