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
    """Runs data checks on the rows of one table.

    ``existing`` returns the state of a table, or raises a :class:`StatementError` if it does not exist.
    """

    def __init__(
        self,
        table: QualifiedName,
        rows: Mapping[QualifiedName, Sequence[StoredRow]],
        existing: Callable[[QualifiedName], TableState],
    ) -> None:
        self._table = table
        self._rows = rows
        self._existing = existing

    def count_rows(
        self,
        data_checks: Sequence[DataCheck] = (),
        *,
        added: Sequence[ColumnState] = (),
        stop_early: bool = False,
        files: str | None = None,  # noqa: ARG002 - rows of files are stored like those of tables
    ) -> RowCounts:
        """Count the rows that violate each data check.

        Raises:
            StatementError: If a check cannot be evaluated without Spark.
        """
        counts = [len(self._broken(data_check, added)) for data_check in data_checks]
        if stop_early and any(counts):
            return RowCounts(rows=None, broken=tuple(min(count, 1) for count in counts))
        return RowCounts(rows=len(self._rows.get(self._table, [])), broken=tuple(counts))

    def sample_rows(
        self,
        data_checks: Sequence[DataCheck],
        shown: Sequence[Sequence[str]],
        *,
        number: int,
        added: Sequence[ColumnState] = (),
        files: str | None = None,  # noqa: ARG002 - as above
    ) -> Samples:
        """Return a few rows that violate each data check, as texts."""
        return tuple(
            distinct_texts(self._broken(data_check, added), columns)[:number]
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
                self._require_kept_values(self._existing(self._table), change)
        violations = tuple(violations_of(self._table, data_checks, self.count_rows(data_checks)))
        if violations:
            raise UnsafePlanError(violations)

    def _require_kept_values(self, state: TableState, change: LayoutRewrite) -> None:
        """Refuse a rewrite that would change data, as the Spark backends do before the commit."""
        data_checks = tuple(partition_values(state, change.partitioning))
        counts = self.count_rows(data_checks).broken
        lost = [data_check.column for data_check, count in zip(data_checks, counts, strict=True) if count]
        if lost:
            fact = f"the rewrite would change data: the values of {', '.join(lost)} differ"
            msg = f"{state.name}: {fact}; nothing was changed, keep the layout"
            raise StatementError(msg)

    def _broken(self, data_check: DataCheck, added: Sequence[ColumnState]) -> list[StoredRow]:
        rows = self._rows.get(self._table, [])
        if isinstance(data_check, ForeignKeyState):
            return orphans(data_check, rows, self._rows.get(data_check.parent, []))
        return violating_rows(data_check, self._table, rows, (*self._existing(self._table).columns, *added))
