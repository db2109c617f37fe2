"""Count, show and refuse the rows of a memory catalog that violate data checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.memory.constraints import violating_rows
from pytest_delta_schema.backends.memory.rows import distinct_texts, orphans
from pytest_delta_schema.diagnostics.errors import StatementError, UnsafePlanError
from pytest_delta_schema.execute.preflight import violations_of
from pytest_delta_schema.execute.protocols.catalog import RowCounts
from pytest_delta_schema.plan.changes import CheckAdd, ColumnNullabilityChange, LayoutRewrite
from pytest_delta_schema.plan.data_checks import NotNull, partition_values
from pytest_delta_schema.state.states import CheckState, ForeignKeyState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_delta_schema.backends.memory.rows import StoredRow
    from pytest_delta_schema.execute.protocols.catalog import Samples
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


class RowChecks:
    """Runs data checks on rows.

    Args:
        rows: The rows of each table that has some, by its name.
        existing: Returns the state of a table, or raises a :class:`StatementError` if it does not exist.
    """

    def __init__(
        self, rows: Mapping[QualifiedName, Sequence[StoredRow]], existing: Callable[[QualifiedName], TableState]
    ) -> None:
        self._rows = rows
        self._existing = existing

    def count(
        self,
        table: QualifiedName,
        data_checks: Sequence[DataCheck],
        added: Sequence[ColumnState] = (),
        *,
        stop_early: bool = False,
    ) -> RowCounts:
        """Count the rows that violate each data check; the arguments are those of :meth:`MemoryCatalog.count_rows`."""
        counts = [len(self._broken(table, data_check, added)) for data_check in data_checks]
        if stop_early and any(counts):
            return RowCounts(rows=None, broken=tuple(min(count, 1) for count in counts))
        return RowCounts(rows=len(self._rows.get(table, [])), broken=tuple(counts))

    def samples(
        self,
        table: QualifiedName,
        data_checks: Sequence[DataCheck],
        shown: Sequence[Sequence[str]],
        number: int,
        added: Sequence[ColumnState] = (),
    ) -> Samples:
        """Return violating rows as texts; the arguments are those of :meth:`MemoryCatalog.sample_rows`."""
        return tuple(
            distinct_texts(self._broken(table, data_check, added), columns)[:number]
            for data_check, columns in zip(data_checks, shown, strict=True)
        )

    def require_sound_rows(self, statement: Statement) -> None:
        """Refuse a statement that rows violate, as Delta does when it runs.

        Raises:
            UnsafePlanError: If rows violate a NOT NULL column or a check that is added.
            StatementError: If another layout would change data.
        """
        data_checks: list[DataCheck] = []
        for change in statement.changes:
            if isinstance(change, ColumnNullabilityChange):
                data_checks.append(NotNull(change.path))
            elif isinstance(change, CheckAdd):
                data_checks.append(CheckState(change.name, change.expression))
            elif isinstance(change, LayoutRewrite):
                self._require_kept_values(self._existing(statement.table), change)
        violations = tuple(violations_of(statement.table, data_checks, self.count(statement.table, data_checks)))
        if violations:
            raise UnsafePlanError(violations)

    def _require_kept_values(self, state: TableState, change: LayoutRewrite) -> None:
        """Refuse a rewrite that would change data, as the Spark backends do before the commit."""
        data_checks = tuple(partition_values(state, change.partitioning))
        counts = self.count(state.name, data_checks).broken
        lost = [data_check.column for data_check, count in zip(data_checks, counts, strict=True) if count]
        if lost:
            fact = f"the rewrite would change data: the values of {', '.join(lost)} differ"
            msg = f"{state.name}: {fact}; nothing was changed, keep the layout"
            raise StatementError(msg)

    def _broken(self, table: QualifiedName, data_check: DataCheck, added: Sequence[ColumnState]) -> list[StoredRow]:
        rows = self._rows.get(table, [])
        if isinstance(data_check, ForeignKeyState):
            return orphans(data_check, rows, self._rows.get(data_check.parent, []))
        return violating_rows(data_check, table, rows, (*self._existing(table).columns, *added))
