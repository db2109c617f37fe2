"""The result of an apply."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.execute.table_result import combined_error, statements_of

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
    from pytest_delta_schema.execute.table_result import TableResult
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.sql.statement import Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncResult:
    """The result of an apply.

    Args:
        plan: The changes; empty if the catalog had no drift.
        tables: How the apply of each table ended.
    """

    plan: TablePlan
    tables: tuple[TableResult, ...]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements that ran, in order."""
        return statements_of(self.tables)

    @property
    def already_there(self) -> frozenset[QualifiedName]:
        """New tables that another apply has created meanwhile; ``plan`` is without them."""
        return frozenset(result.table for result in self.tables if result.is_already_there)

    @property
    def error(self) -> DeltaSchemaError | None:
        """The errors of all tables as one; ``None`` if all are aligned."""
        return combined_error(self.tables)

    def for_table(self, table: QualifiedName) -> SyncResult:
        """Return the part that is about one table.

        Args:
            table: Its name in the catalog.
        """
        creations = tuple(action for action in self.plan.create_tables if action.table == table)
        alignments = tuple(action for action in self.plan.align_tables if action.table == table)
        return SyncResult(
            plan=replace(self.plan, create_tables=creations, align_tables=alignments),
            tables=tuple(result for result in self.tables if result.table == table),
        )
