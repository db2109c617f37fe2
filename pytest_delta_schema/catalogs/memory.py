"""A catalog in memory: no JVM, no files, the same port; for testing rules, plans and contracts."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from pytest_delta_schema.errors import BackendFailure, UnsafePlanError, because
from pytest_delta_schema.execute.ddl import RowCounts
from pytest_delta_schema.execute.preflight import violations_of
from pytest_delta_schema.plan import actions
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.states import CatalogState, CheckState, KeyState, TableState, by_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.types import ColumnState

Row = dict[str, Any]
"""One row: values by column name, in any case; a column that is left out is NULL."""


class MemoryCatalog:
    """Holds table states and rows, and applies the changes of statements to them.

    Args:
        tables: What is there from the start; their schemas are there, too.
        rows: Rows of those tables, by name.
    """

    name = "memory"
    emulates: frozenset[StatementKind] = frozenset()

    def __init__(
        self,
        tables: Iterable[TableState] = (),
        rows: Mapping[QualifiedName, Iterable[Row]] = MappingProxyType({}),
    ) -> None:
        self._tables = {table.name: replace(table, version=table.version or 0) for table in tables}
        self._schemas = {(name.catalog, name.schema) for name in self._tables}
        self._rows: dict[QualifiedName, list[Row]] = {}
        for name, some in rows.items():
            self.insert(name, some)

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Return the current states of the tables that ``models`` name."""
        return CatalogState(tables={name: self._state(name) for name in {model.name for model in models}})

    def run(self, statement: Statement) -> None:
        """Apply the changes of ``statement``; the table's version goes up by one.

        Raises:
            BackendFailure: If a changed column is not there.
            UnsafePlanError: If rows are NULL in a column that is tightened or break a new check; nothing changes.
        """
        name = statement.table
        if statement.kind is StatementKind.CREATE_SCHEMA:
            self._schemas.add((name.catalog, name.schema))
            return
        if statement.kind is StatementKind.CREATE_TABLE:
            for action in statement.changes:
                self._create(cast("actions.CreateTable", action))
            return
        if statement.kind in (StatementKind.TIGHTEN_COLUMNS, StatementKind.ADD_CHECK):
            self._require_sound_rows(statement)
        state = self._require(name)
        for change in statement.changes:
            state = _changed(change, state)
        self._tables[name] = replace(state, version=(state.version or 0) + 1)

    def version(self, table: QualifiedName) -> int | None:
        """Return how often the table was changed since it was made; ``None`` if there is no table."""
        return self._state(table).version

    def count_rows(
        self,
        table: QualifiedName,
        *,
        not_null: Sequence[str] = (),
        checks: Sequence[CheckState] = (),
        key: Sequence[str] = (),
        added: Sequence[ColumnState] = (),
    ) -> RowCounts:
        """Count rows that are NULL in ``not_null``, break ``checks``, or repeat ``key``.

        Raises:
            BackendFailure: If a check uses something that cannot be evaluated without Spark.
        """
        rows = self._rows.get(table, [])
        return RowCounts(
            rows=len(rows),
            nulls={column: sum(row.get(column.lower()) is None for row in rows) for column in not_null},
            broken={check.name: self._broken(table, check, rows, added) for check in checks},
            repeated=_repeated(rows, key),
        )

    def insert(self, table: QualifiedName, rows: Iterable[Row]) -> None:
        """Add rows, so that the data can be asked; types are not checked, columns and NOT NULL are.

        Raises:
            BackendFailure: If there is no such table or column, a NOT NULL column is NULL, or a check is not met.
        """
        state = self._require(table)
        for number, row in enumerate(rows, start=1):
            folded = {name.lower(): value for name, value in row.items()}
            self._require_fit(state, folded, number)
            self._rows.setdefault(table, []).append(folded)

    def _require_fit(self, state: TableState, row: Row, number: int) -> None:
        """Refuse a row that does not fit, in Delta's words where it is a constraint that stops it."""
        where = f"{state.name}: row {number}"
        strangers = sorted(row.keys() - {column.name.lower() for column in state.columns})
        if strangers:
            msg = f"{where}: there is no column {', '.join(strangers)}"
            raise BackendFailure(msg)
        for column in state.columns:
            if not column.is_nullable and row.get(column.name.lower()) is None:
                msg = f"{where}: NOT NULL constraint violated for column: {column.name}"
                raise BackendFailure(msg, condition="DELTA_NOT_NULL_CONSTRAINT_VIOLATED")
        for check in state.checks:
            if self._broken(state.name, check, [row]):
                values = "".join(f"\n - {name} : {_shown(row.get(name))}" for name in _named(check, state))
                msg = (
                    f"{where}: CHECK constraint {check.name} ({check.expression}) violated by row with values:{values}"
                )
                raise BackendFailure(msg, condition="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")

    def create_schema(self, catalog: str, schema: str) -> None:
        """Make a schema; one that is there already is fine."""
        self._schemas.add((catalog, schema))

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema with everything in it; one that is not there is fine."""
        self._schemas.discard((catalog, schema))
        for name in [name for name in self._tables if name[:2] == (catalog, schema)]:
            del self._tables[name]
            self._rows.pop(name, None)

    def _state(self, name: QualifiedName) -> TableState:
        known = self._tables.get(name)
        schema_exists = (name.catalog, name.schema) in self._schemas
        return known or TableState(name=name, exists=False, schema_exists=schema_exists)

    def _require(self, name: QualifiedName) -> TableState:
        state = self._state(name)
        if not state.exists:
            msg = f"there is no table {name}; create it first"
            raise BackendFailure(msg, condition="TABLE_OR_VIEW_NOT_FOUND")
        return state

    def _create(self, action: actions.CreateTable) -> None:
        name = action.table
        if (name.catalog, name.schema) not in self._schemas:
            msg = f"there is no schema {name.catalog}.{name.schema}; create it first"
            raise BackendFailure(msg, condition="SCHEMA_NOT_FOUND")
        if name not in self._tables:
            self._tables[name] = TableState(
                name=name,
                columns=action.columns,
                table_comment=action.table_comment,
                table_properties=MappingProxyType(dict(action.table_properties)),
                checks=tuple(map(_stored, action.checks)),
                version=0,
            )

    def _require_sound_rows(self, statement: Statement) -> None:
        columns = [each.name for each in statement.changes if isinstance(each, actions.ColumnNullabilityChange)]
        checks = [CheckState(c.name, c.expression) for c in statement.changes if isinstance(c, actions.CheckAdd)]
        counts = self.count_rows(statement.table, not_null=columns, checks=checks)
        violations = tuple(violations_of(statement.table, counts, checks))
        if violations:
            raise UnsafePlanError(violations)

    def _broken(
        self, table: QualifiedName, check: CheckState, rows: Sequence[Row], added: Sequence[ColumnState] = ()
    ) -> int:
        from pytest_delta_schema.state.expressions import ExpressionError, count_broken

        columns = [column.name.lower() for column in (*self._require(table).columns, *added)]
        try:
            return count_broken(check.expression, rows, columns)
        except ExpressionError as error:
            subject = f"{table}: the memory catalog cannot evaluate check {check.name} ({check.expression})"
            msg = f"{subject}: {because(error)}; test it on the local backend"
            raise BackendFailure(msg) from error


def _repeated(rows: Sequence[Row], key: Sequence[str]) -> int:
    keys = [[row.get(name.lower()) for name in key] for row in rows] if key else []
    whole = [repr(values) for values in keys if None not in values]
    return len(whole) - len(set(whole))


def _named(check: CheckState, state: TableState) -> list[str]:
    from pytest_delta_schema.state.expressions import columns_in

    named = columns_in(check.expression)
    return [column.name.lower() for column in state.columns if column.name.lower() in named]


def _shown(value: Any) -> str:
    return "null" if value is None else str(value)


def _stored(check: CheckState) -> CheckState:
    """Return a check as Delta keeps it: under its name in lower case."""
    return CheckState(check.name.lower(), check.expression)


@singledispatch
def _changed(change: object, state: TableState) -> TableState:
    msg = f"the memory catalog does not know {type(change).__name__}, asked for {state.name}"
    raise NotImplementedError(msg)


@_changed.register(actions.ColumnAdd)
def _(change: actions.ColumnAdd, state: TableState) -> TableState:
    return replace(state, columns=(*state.columns, change.column._replace(comment="")))


@_changed.register(actions.ColumnDrop)
def _(change: actions.ColumnDrop, state: TableState) -> TableState:
    _find(state, change.column.name)
    dropped = change.column.name.lower()
    return replace(state, columns=tuple(column for column in state.columns if column.name.lower() != dropped))


@_changed.register(actions.ColumnTypeChange)
def _(change: actions.ColumnTypeChange, state: TableState) -> TableState:
    return _with(state, _find(state, change.name)._replace(data_type=change.after))


@_changed.register(actions.ColumnNullabilityChange)
def _(change: actions.ColumnNullabilityChange, state: TableState) -> TableState:
    return _with(state, _find(state, change.name)._replace(is_nullable=change.is_nullable))


@_changed.register(actions.SetColumnComments)
def _(change: actions.SetColumnComments, state: TableState) -> TableState:
    for name, comment in change.comments.items():
        state = _with(state, _find(state, name)._replace(comment=comment))
    return state


@_changed.register(actions.SetTableComment)
def _(change: actions.SetTableComment, state: TableState) -> TableState:
    return replace(state, table_comment=change.comment)


@_changed.register(actions.CheckAdd)
def _(change: actions.CheckAdd, state: TableState) -> TableState:
    added = _stored(CheckState(change.name, change.expression))
    return replace(state, checks=tuple(sorted([*state.checks, added], key=by_name)))


@_changed.register(actions.CheckDrop)
def _(change: actions.CheckDrop, state: TableState) -> TableState:
    return replace(state, checks=tuple(c for c in state.checks if c.name.lower() != change.name.lower()))


@_changed.register(actions.PrimaryKeyAdd)
def _(change: actions.PrimaryKeyAdd, state: TableState) -> TableState:
    return replace(state, primary_key=KeyState(change.name, change.columns))


@_changed.register(actions.PrimaryKeyDrop)
def _(_change: actions.PrimaryKeyDrop, state: TableState) -> TableState:
    return replace(state, primary_key=None)


@_changed.register(actions.SetTableProperties)
def _(change: actions.SetTableProperties, state: TableState) -> TableState:
    return replace(state, table_properties=MappingProxyType({**state.table_properties, **change.properties}))


@_changed.register(actions.UnsetTableProperties)
def _(change: actions.UnsetTableProperties, state: TableState) -> TableState:
    kept = {key: value for key, value in state.table_properties.items() if key not in change.keys}
    return replace(state, table_properties=MappingProxyType(kept))


def _find(state: TableState, name: str) -> ColumnState:
    for column in state.columns:
        if column.name.lower() == name.lower():
            return column
    msg = f"{state.name}: there is no column {name}; read the table again and make a new plan"
    raise BackendFailure(msg, condition="UNRESOLVED_COLUMN")


def _with(state: TableState, changed: ColumnState) -> TableState:
    key = changed.name.lower()
    return replace(state, columns=tuple(changed if column.name.lower() == key else column for column in state.columns))
