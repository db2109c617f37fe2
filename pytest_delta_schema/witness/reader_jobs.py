"""The jobs of readers: they select their columns by name, by position or by path, or count what was never there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.compatibility.faults.column_faults import (
    ColumnRespelled,
    FieldAdded,
    NullAllowed,
    TypeWidened,
)
from pytest_delta_schema.compatibility.faults.constraint_faults import CheckDropped, ConstraintKeyDropped
from pytest_delta_schema.compatibility.faults.table_faults import AdditiveEvolution, AppendOnlyDisabled
from pytest_delta_schema.delta.type_widening import SIZED
from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.sql.aspects.types import type_sql
from pytest_delta_schema.sql.quoting import condition, path_sql
from pytest_delta_schema.state.types import StructState, find
from pytest_delta_schema.witness.job import Job, sql_call
from pytest_delta_schema.witness.rows import breaking_row, rows_of_sides, unfit_row
from pytest_delta_schema.witness.table_sql import SCRIPT_TABLE, creation, insertion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_delta_schema.compatibility.contract_change import StatePair
    from pytest_delta_schema.compatibility.finding import CompatibilityFinding
    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.states import KeyState, TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.witness.rows import Row

UNDECLARED = "added_by_a_job"
"""The name of a column that is in no contract."""

_UNLIKE = ("prints the columns and their values", "fails, or prints something else")
_FORBIDDEN = ("prints 0: the contract allows no such row", "prints how many there are")


def reader_jobs(finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool) -> Iterator[Job]:
    """Yield what shows the effect of a finding on readers; nothing if no row does."""
    job = _reader_job(finding, pair, is_gone=is_gone)
    if job is not None:
        yield job


def _reader_job(  # noqa: PLR0911 - one for each kind of change
    finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool
) -> Job | None:
    rows = rows_of_sides(pair)
    before = made(pair.old, rows.before)
    if is_gone:
        return Job(before=before, after=[], lines=_reading(finding, pair.old), shows=_UNLIKE)
    after = made(pair.new, rows.after)
    if finding.verdict == "safe":
        return Job(before=before, after=after, lines=_reading(finding, pair.old), shows=_UNLIKE)
    if finding.rule in _FORBIDDEN_ROWS:
        return _counting(finding, pair, before, after)
    if finding.rule == FieldAdded.__name__:
        return Job(before=before, after=after, lines=_coalescing(finding, pair.old), shows=_UNLIKE)
    if finding.rule == ColumnRespelled.__name__:
        name = finding.column.root
        lines = [f"print([row.asDict()[{name!r}] for row in {_frame(finding, '*')}.collect()])"]
        return Job(before=before, after=after, lines=lines, shows=("prints its values", "fails with a KeyError"))
    if finding.rule == AdditiveEvolution.__name__:
        added = f"ALTER TABLE {SCRIPT_TABLE} ADD COLUMNS ({UNDECLARED} INT)"
        lines = [f"print({_frame(finding, '*')}.columns)"]
        shows = ("prints the columns of the contract", "prints one more")
        return Job(before=before, after=[*after, added], lines=lines, shows=shows)
    if finding.rule == AppendOnlyDisabled.__name__:
        removed = f"DELETE FROM {SCRIPT_TABLE}"  # noqa: S608 - no name
        lines = [f"print({_frame(finding, '*')}.count())"]
        shows = ("prints 1: the row stays, a DELETE is refused", "prints 0: it was removed")
        return Job(before=before, after=[*after, removed], lines=lines, shows=shows)
    return Job(before=before, after=after, lines=_reading(finding, pair.old), shows=_UNLIKE)


def made(state: TableState, *rows: Row) -> list[str]:
    """Return the statements that create a table with rows."""
    return [creation(state), *(insertion(state.columns, row) for row in rows)]


def leaves(columns: tuple[ColumnState, ...], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of columns, and of the fields of structs instead of these."""
    for column in columns:
        path = (*above, column.name)
        if isinstance(column.data_type, StructState):
            yield from leaves(column.data_type.fields, path)
        else:
            yield path


def _frame(finding: CompatibilityFinding, selected: str) -> str:
    """Return the Python that reads columns of the table, by its path or as SQL."""
    if finding.role == "readers-by-path":
        loaded = 'spark.read.format("delta").load(path)'
        return loaded if selected == "*" else f"{loaded}.selectExpr({selected})"
    return sql_call(f"SELECT {selected} FROM {SCRIPT_TABLE}")  # noqa: S608 - quoted


def _reading(finding: CompatibilityFinding, old: TableState) -> list[str]:
    if finding.role == "readers-by-position":
        rows = f"rows = {_frame(finding, '*')}"
        return [rows, "print([kind for _, kind in rows.dtypes], [tuple(row) for row in rows.collect()])"]
    names = [
        f"{'.'.join(map(identifier, path))} AS {identifier('_'.join(path))}" if len(path) > 1 else identifier(path[0])
        for path in leaves(old.columns)
    ]
    is_by_path = finding.role == "readers-by-path"
    selected = ", ".join(map(repr, names) if is_by_path else names)
    return [f"rows = {_frame(finding, selected)}", "print(rows.dtypes, [tuple(row) for row in rows.collect()])"]


def _coalescing(finding: CompatibilityFinding, old: TableState) -> list[str]:
    """Return what puts a struct of the released contract into an expression with the one of the table."""
    root = find(old.columns, [finding.column.root])
    assert root is not None  # noqa: S101 - the struct is older than the field
    name = identifier(root.name)
    value = f"coalesce({name}, CAST(NULL AS {type_sql(root.data_type)})) AS {name}"
    return [f"print({_frame(finding, repr(value) if finding.role == 'readers-by-path' else value)}.collect())"]


def _counting(finding: CompatibilityFinding, pair: StatePair, before: list[str], after: list[str]) -> Job | None:
    """Return a job that counts rows which the released contract does not allow, with such rows after the change."""
    rows = _FORBIDDEN_ROWS[finding.rule](finding, pair)
    if rows is None:
        return None
    is_of_key = finding.rule == ConstraintKeyDropped.__name__
    added = [*(after[:1] if is_of_key else after), *(insertion(pair.new.columns, row) for row in rows)]
    counted = _counted(finding, pair.old)
    if counted is None:
        return Job(before=before, after=added, lines=_reading(finding, pair.old), shows=_UNLIKE)
    return Job(before=before, after=added, lines=[f"print({_frame(finding, '*')}{counted})"], shows=_FORBIDDEN)


def _counted(finding: CompatibilityFinding, old: TableState) -> str | None:
    """Return the Python that counts rows which the released contract does not allow; ``None`` if SQL cannot."""
    if finding.rule == ConstraintKeyDropped.__name__:
        names = ", ".join(repr(identifier(name)) for name in key_in(finding, old).columns)
        return f".groupBy({names}).count().where('count > 1').count()"
    if finding.rule == CheckDropped.__name__:
        check = next(check for check in old.checks if finding.path == f"checks.{check.name}")
        return f".where({f'NOT coalesce({condition(check.expression)}, false)'!r}).count()"
    column, path = find(old.columns, finding.column), path_sql(finding.column)
    if column is None or not isinstance(column.data_type, str) or not _is_in_structs(old, finding.column):
        return None
    sized = SIZED.fullmatch(column.data_type)
    if finding.rule == NullAllowed.__name__:
        where = f"{path} IS NULL"
    elif sized is not None and sized[1] != "decimal":
        where = f"length({path}) > {sized[2]}"
    else:
        where = f"NOT (try_cast({path} AS {type_sql(column.data_type)}) <=> {path})"
    return f".where({where!r}).count()"


def key_in(finding: CompatibilityFinding, state: TableState) -> KeyState:
    """Return the key that a finding is about."""
    return next(key for key in state.keys if key.path == finding.path)


def _is_in_structs(state: TableState, path: ColumnPath) -> bool:
    """Whether a path leads through structs only, so SQL can name the column."""
    columns = state.columns
    for name in path.parts[:-1]:
        column = find(columns, [name])
        if column is None or not isinstance(column.data_type, StructState):
            return False
        columns = column.data_type.fields
    return True


def _null(finding: CompatibilityFinding, pair: StatePair) -> tuple[Row, ...] | None:
    return breaking_row(pair.old, "not null", str(finding.column), pair.new)


def _wider(finding: CompatibilityFinding, pair: StatePair) -> tuple[Row, ...] | None:
    row = unfit_row(pair.new, pair.old, finding.column)
    return None if row is None else (row,)


def _unchecked(finding: CompatibilityFinding, pair: StatePair) -> tuple[Row, ...] | None:
    return breaking_row(pair.old, "check", finding.path.partition(".")[2], pair.new)


def _repeated(finding: CompatibilityFinding, pair: StatePair) -> tuple[Row, ...] | None:
    key = key_in(finding, pair.old)
    return breaking_row(pair.old, key.kind, key.name, pair.new)


_FORBIDDEN_ROWS: Mapping[str, Callable[[CompatibilityFinding, StatePair], tuple[Row, ...] | None]] = {
    NullAllowed.__name__: _null,
    TypeWidened.__name__: _wider,
    CheckDropped.__name__: _unchecked,
    ConstraintKeyDropped.__name__: _repeated,
}
