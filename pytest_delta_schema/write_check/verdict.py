"""The verdict on a write: whether it is accepted, what the table looks like after it, and why it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.state.adopting import spark_struct

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from pytest_delta_schema.state.types import ColumnState


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One reason why a write is refused.

    Args:
        path: The column or the field it is about; ``""`` for the whole frame.
        rule: Which rule of Delta's, such as ``extra-column``; see the table in docs/reference/writes.md.
        condition: The error condition that Delta or Spark raises, such as ``DELTA_METADATA_MISMATCH``.
        message: The fact and its reason.
        remedy: What to do about it: the option to set, or the line to add to the model.
    """

    path: str
    rule: str
    condition: str
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.message}; {self.remedy} [{self.rule}, {self.condition}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteVerdict:
    """What a write would do to a table.

    Args:
        table: Dotted name of the table.
        accepted: Whether it goes through, as far as schemas decide; values may still break casts, NOT NULL and checks.
        columns: Of the table after the write; as they are, if it is refused.
        findings: Why it is refused, in the order in which Delta would meet the reasons; Delta raises the first.
        notes: What else happens: columns that are added, filled or cast, partitions that go.
    """

    table: str
    accepted: bool
    columns: tuple[ColumnState, ...]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def resulting_schema(self) -> StructType:
        """The table's schema after the write, as a struct of Spark's."""
        return spark_struct(self.columns)

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that refuse the write, each once."""
        return tuple(dict.fromkeys(finding.rule for finding in self.findings))

    def __str__(self) -> str:
        head = f"{self.table}: the write is {'accepted' if self.accepted else 'refused'}"
        return "\n".join(
            [head, *(f"  ! {finding}" for finding in self.findings), *(f"  note: {n}" for n in self.notes)]
        )
