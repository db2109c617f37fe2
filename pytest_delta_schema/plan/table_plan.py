"""The plan: all actions, and notes that are neither changes nor violations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """Everything that must change, sorted by table name.

    Args:
        create_tables: Tables to create.
        align_tables: Tables to align.
        mismatches: Differences in what contracts match and do not manage: drift that no apply changes. A plan with
            nothing else is empty.
        notes: Remarks; a plan with notes only is empty.
    """

    create_tables: tuple[CreateTable, ...] = ()
    align_tables: tuple[AlignTable, ...] = ()
    mismatches: tuple[CreateTable | AlignTable, ...] = ()
    notes: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def actions(self) -> tuple[CreateTable | AlignTable, ...]:
        """All actions, creations first."""
        return (*self.create_tables, *self.align_tables)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has to change."""
        return not self.create_tables and not self.align_tables
