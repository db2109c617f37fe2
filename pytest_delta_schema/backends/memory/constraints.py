"""Check rows against the NOT NULL columns and CHECK constraints of a table, with the messages of Delta."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.memory.rows import broken_rows, stored_text
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.state.expressions import ExpressionError, columns_in, require_wide
from pytest_delta_schema.state.expressions.row_paths import value_at
from pytest_delta_schema.state.states import CheckState
from pytest_delta_schema.state.type_traversal import not_null_paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.backends.memory.rows import StoredRow
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


def violating_rows(
    data_check: DataCheck, table: QualifiedName, rows: Sequence[StoredRow], columns: Sequence[ColumnState]
) -> list[StoredRow]:
    """Return the rows that violate a data check.

    Raises:
        StatementError: If a check cannot be evaluated without Spark.
    """
    types = {folded(column.name): column.data_type for column in columns}
    names = [*types]
    if not isinstance(data_check, CheckState):
        return broken_rows(data_check, rows, names)
    try:
        require_wide(data_check.expression, types)
        return broken_rows(data_check, rows, names)
    except ExpressionError as error:
        subject = f"{table}: the memory catalog cannot evaluate check {data_check.name} ({data_check.expression})"
        msg = f"{subject}: {first_line(error)}; test it on the local backend"
        raise StatementError(msg) from error


def require_valid_row(state: TableState, row: StoredRow, number: int) -> None:
    """Make sure that a row violates no constraint.

    The number is that among the inserted rows, from 1.

    Raises:
        StatementError: If a NOT NULL column is NULL, or a check is not met.
    """
    where = f"{state.name}: row {number}"
    for path in not_null_paths(state.columns):
        if value_at(row, path) is None:
            msg = f"{where}: NOT NULL constraint violated for column: {path}"
            raise StatementError(msg, condition="DELTA_NOT_NULL_CONSTRAINT_VIOLATED")
    for check in state.checks:
        if violating_rows(check, state.name, [row], state.columns):
            texts = {name: stored_text(row.get(name)) or "null" for name in _used_columns(check, state)}
            values = "".join(f"\n - {name} : {text}" for name, text in texts.items())
            msg = f"{where}: CHECK constraint {check.name} ({check.expression}) violated by row with values:{values}"
            raise StatementError(msg, condition="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")


def _used_columns(check: CheckState, state: TableState) -> list[str]:
    used = columns_in(check.expression)
    return [folded(column.name) for column in state.columns if folded(column.name) in used]
