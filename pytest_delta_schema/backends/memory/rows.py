"""Rows as dictionaries: data checks on them, and the values that a table fills."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names import VALUE, folded, same_name
from pytest_delta_schema.diagnostics.errors import StatementError, UnsafePlanError, first_line
from pytest_delta_schema.execute.preflight import violations_of
from pytest_delta_schema.execute.protocols import RowCounts
from pytest_delta_schema.plan.changes import CheckAdd, ColumnNullabilityChange, LayoutRewrite
from pytest_delta_schema.plan.data_checks import NotNull, PartitionValue, partition_values
from pytest_delta_schema.state.expressions import ExpressionError, columns_in, evaluate, failing_rows, require_wide
from pytest_delta_schema.state.expressions.conditions import value_at
from pytest_delta_schema.state.states import NULL_PARTITION, CheckState, ForeignKeyState
from pytest_delta_schema.state.types import ArrayState, MapState, children, find, not_null_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_delta_schema.execute.protocols import Samples
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


StoredRow = dict[str, Any]
"""One row: values by lower-case column name; a missing column is NULL."""


class RowChecks:
    """Runs data checks on the rows of one table."""

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
        """Count the rows that violate each data check."""
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
        """Refuse a statement that rows violate, as Delta does when it runs."""
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


def violating_rows(
    data_check: DataCheck, table: QualifiedName, rows: Sequence[StoredRow], columns: Sequence[ColumnState]
) -> list[StoredRow]:
    """Return the rows that violate a data check."""
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
    """Make sure that a row violates no constraint."""
    where = f"{state.name}: row {number}"
    for path in not_null_paths(state.columns):
        if value_at(row, path) is None:
            msg = f"{where}: NOT NULL constraint violated for column: {path}"
            raise StatementError(msg, condition="DELTA_NOT_NULL_CONSTRAINT_VIOLATED")
    for check in state.checks:
        if violating_rows(check, state.name, [row], state.columns):
            used = columns_in(check.expression)
            names = [name for name in (folded(column.name) for column in state.columns) if name in used]
            texts = {name: stored_text(row.get(name)) or "null" for name in names}
            values = "".join(f"\n - {name} : {text}" for name, text in texts.items())
            msg = f"{where}: CHECK constraint {check.name} ({check.expression}) violated by row with values:{values}"
            raise StatementError(msg, condition="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")


def broken_rows(data_check: DataCheck, rows: Sequence[StoredRow], columns: Sequence[str]) -> list[StoredRow]:
    """Return the rows that violate a data check; for a key those that repeat the values of another row."""
    if isinstance(data_check, NotNull):
        return [row for row in rows if value_at(row, data_check.path) is None]
    if isinstance(data_check, PartitionValue):
        return [row for row in rows if _is_lost(row.get(folded(data_check.column)), data_check.data_type)]
    if isinstance(data_check, CheckState):
        return [rows[index] for index in failing_rows(data_check.expression, rows, columns)]
    return _repeated(data_check.columns, rows)


def orphans(key: ForeignKeyState, rows: Sequence[StoredRow], parents: Sequence[StoredRow]) -> list[StoredRow]:
    """Return the rows whose foreign key holds no NULL and matches no parent."""
    known = {None, *(_key_text(row, key.parent_columns) for row in parents)}
    return [row for row in rows if _key_text(row, key.columns) not in known]


def distinct_texts(rows: Sequence[StoredRow], columns: Sequence[str]) -> tuple[tuple[str | None, ...], ...]:
    """Return some columns of rows as texts, each combination once; nothing without columns."""
    if not columns:
        return ()
    return tuple(dict.fromkeys(tuple(stored_text(row.get(folded(name))) for name in columns) for row in rows))


def moved(value: Any, data_type: DataTypeState, path: Sequence[str], to: str | None) -> Any:
    """Return a value in which what is under a path has a different name, or is gone."""
    if value is None:
        return None
    if isinstance(data_type, ArrayState):
        return [moved(item, data_type.element, path[1:], to) for item in value]
    if isinstance(data_type, MapState):
        # What is below a key cannot be renamed here, because dictionaries cannot be keys.
        inner = [(key, moved(item, data_type.value, path[1:], to)) for key, item in value.items()]
        return dict(inner) if same_name(path[0], VALUE) else value
    fields = {}
    for key, item in value.items():
        field = find(children(data_type), [key])
        if not same_name(key, path[0]) or field is None:
            fields[key] = item
        elif len(path) > 1:
            fields[key] = moved(item, field.data_type, path[1:], to)
        elif to is not None:
            fields[to] = item
    return fields


def stored_text(value: object) -> str | None:
    """Return a value as Spark casts it to a string; ``None`` for NULL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _is_lost(value: object, data_type: str) -> bool:
    """Whether a partition column loses a value; dates of Python are all in the range that Delta keeps."""
    if data_type.startswith("char(") and isinstance(value, str):
        value = value.ljust(int(data_type[len("char(") : -1]))
    if isinstance(value, (bytes, bytearray)):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            return True
    return value in ("", NULL_PARTITION)


def _repeated(key: Sequence[str], rows: Sequence[StoredRow]) -> list[StoredRow]:
    seen: set[str] = set()
    repeated = []
    for row in rows:
        text = _key_text(row, key)
        if text in seen:
            repeated.append(row)
        elif text is not None:
            seen.add(text)
    return repeated


def _key_text(row: StoredRow, columns: Sequence[str]) -> str | None:
    """Return the values of a key as a text that is equal for values which Spark takes for equal: 0.0 and -0.0."""
    key = [row.get(folded(name)) for name in columns]
    values = (0.0 if isinstance(value, float) and value == 0 else value for value in key)
    texts = repr([value.as_integer_ratio() if isinstance(value, Decimal) else value for value in values])
    return None if None in key else texts


_NO_COLUMN = "no_column"
"""A column for the evaluation of expressions without columns."""


def filled(row: StoredRow, columns: Sequence[ColumnState], counters: dict[str, int]) -> StoredRow:
    """Return a row with the values that the table fills."""
    types = {folded(column.name): column.data_type for column in columns}
    valued = [(folded(column.name), column.value) for column in columns if column.value is not None]
    if not valued:
        return row
    complete = dict(row)
    for name, value in valued:
        if name not in complete and value.default is not None:
            complete[name] = _evaluated(value.default, {_NO_COLUMN: None}, name, {})
        if value.identity is not None:
            if name not in complete:
                complete[name] = counters.get(name, value.identity.start)
                counters[name] = complete[name] + value.identity.step
            elif value.identity.is_always:
                msg = f"column {name} is an identity column, whose values are never given; leave it out"
                raise StatementError(msg, condition="DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED")
    plain = {name: complete.get(name) for name in (folded(column.name) for column in columns)}
    for name, value in valued:
        if value.generated is not None:
            answer = _evaluated(value.generated, plain, name, types)
            if complete.setdefault(name, answer) != answer:
                msg = f"column {name} is generated as {value.generated}, which is {answer!r} and not {complete[name]!r}"
                raise StatementError(msg, condition="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")
    return complete


def _evaluated(expression: str, row: StoredRow, name: str, types: Mapping[str, object]) -> Any:
    try:
        require_wide(expression, types)
        (answer,) = evaluate(expression, [row], row)
    except ExpressionError as error:
        msg = f"the memory catalog cannot evaluate {expression} for column {name}: {first_line(error)}"
        msg = f"{msg}; test it on the local backend"
        raise StatementError(msg) from error
    return answer
