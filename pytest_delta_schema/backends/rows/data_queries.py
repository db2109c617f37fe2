"""Run data checks by SQL queries; all backends but memory do."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.execute.protocols.catalog import RowCounts
from pytest_delta_schema.progress import step
from pytest_delta_schema.sql.data_check_queries import count_rows, first_broken, first_repeated, samples, select_rows
from pytest_delta_schema.state.states import ForeignKeyState, KeyState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_delta_schema.execute.protocols.catalog import Samples
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


class DataQueries:
    """Runs data checks on the rows of one table, by SQL.

    Args:
        table: The table.
        ask: Runs a query, and returns its rows, each a sequence of values.
        read: Returns the states of the tables that exist, of those with the given names.
    """

    def __init__(
        self,
        table: QualifiedName,
        ask: Callable[[str], Sequence[Any]],
        read: Callable[[Sequence[QualifiedName]], Mapping[QualifiedName, TableState]],
    ) -> None:
        self._table = table
        self._ask = ask
        self._read = read

    def count_rows(
        self,
        data_checks: Sequence[DataCheck] = (),
        *,
        added: Sequence[ColumnState] = (),
        stop_early: bool = False,
        files: str | None = None,
    ) -> RowCounts:
        """Count the rows that violate each data check, in one scan."""
        rows = select_rows(self._table, data_checks, added=added, absent=self._parentless(data_checks), files=files)
        # Data checks are a step of their own.
        with nullcontext() if data_checks else step(escaped(f"{self._table}: counting rows")):
            return self._first(rows, data_checks) if stop_early else self._count(rows, data_checks)

    def sample_rows(
        self,
        data_checks: Sequence[DataCheck],
        shown: Sequence[Sequence[str]],
        *,
        number: int,
        added: Sequence[ColumnState] = (),
        files: str | None = None,
    ) -> Samples:
        """Return a few rows that violate each data check, as texts."""
        rows = select_rows(self._table, data_checks, added=added, absent=self._parentless(data_checks), files=files)
        queries = [
            samples(rows, data_check, index, shown=columns, number=number)
            for index, (data_check, columns) in enumerate(zip(data_checks, shown, strict=True))
            if columns
        ]
        answers = self._ask(" UNION ALL ".join(queries))
        texts = [
            dict.fromkeys(tuple(row[1]) for row in answers if row[0] == index) for index in range(len(data_checks))
        ]
        return tuple(map(tuple, texts))

    def count_at(self, data_checks: Sequence[DataCheck], version: int) -> RowCounts:
        """Count the rows that violate each data check in one version of the table.

        Args:
            data_checks: What the rows must satisfy.
            version: The version.
        """
        return self._count(select_rows(self._table, version=version), data_checks)

    def _count(self, rows: str, data_checks: Sequence[DataCheck]) -> RowCounts:
        (counts,) = self._ask(count_rows(rows, data_checks))
        return RowCounts(rows=counts[0], broken=tuple(counts[1:]))

    def _first(self, rows: str, data_checks: Sequence[DataCheck]) -> RowCounts:
        """Stop at the first row that violates a check; look for repeated keys only if there is none."""
        of_one_row = [data_check for data_check in data_checks if not isinstance(data_check, KeyState)]
        first = self._ask(first_broken(rows, of_one_row)) if of_one_row else []
        answers = iter(first[0] if first else [False] * len(of_one_row))
        broken = []
        for data_check in data_checks:
            if isinstance(data_check, KeyState):
                broken.append(not first and bool(self._ask(first_repeated(rows, data_check))))
            else:
                broken.append(next(answers))
        return RowCounts(rows=None, broken=tuple(map(int, broken)))

    def _parentless(self, data_checks: Sequence[DataCheck]) -> list[ForeignKeyState]:
        """Return the foreign keys whose parent table, or a column of it, does not exist yet."""
        keys = [data_check for data_check in data_checks if isinstance(data_check, ForeignKeyState)]
        tables = self._read([key.parent for key in keys]) if keys else {}
        columns = {name: NameSet.of(table.columns) for name, table in tables.items()}
        return [key for key in keys if not NameSet(key.parent_columns) <= columns.get(key.parent, NameSet())]
