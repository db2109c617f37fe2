"""The backend ``memory``: tables and rows in dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from pytest_delta_schema.backends.memory.rows import RowChecks, filled, moved, require_valid_row
from pytest_delta_schema.backends.memory.statements import apply_change, new_table
from pytest_delta_schema.backends.problems import has_lost_its_log, is_not_delta
from pytest_delta_schema.backends.row_values import Clock, converted_rows
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute.protocols import Capabilities, version_of
from pytest_delta_schema.models.arguments import kind_fault, refuse, refuse_kind
from pytest_delta_schema.models.names import required_table_name, required_table_names
from pytest_delta_schema.models.sets import names_around
from pytest_delta_schema.models.table import required_tables
from pytest_delta_schema.plan.changes import ColumnDrop, ColumnRename
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.states import CatalogState, TableState
from pytest_delta_schema.state.types import StructState, find

if TYPE_CHECKING:
    from pytest_delta_schema.backends.memory.rows import StoredRow
    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.execute.protocols import Version
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import CreateTable, RestoreTable
    from pytest_delta_schema.state.states import IntroducedBy


_CHECKED_BY_ROWS = (StatementKind.TIGHTEN_COLUMNS, StatementKind.ADD_CHECK, StatementKind.REWRITE_LAYOUT)
"""Statements that fail if rows violate them."""


class MemoryCatalog:
    """Keeps table states and rows, and applies the changes of statements to them.

    Args:
        tables: The tables at the start; their schemas exist, too.
        rows: The rows of those tables, by name.

    Raises:
        DeclarationError: If one of them is something else.
    """

    name = "memory"
    capabilities = Capabilities()

    def __init__(
        self,
        tables: Iterable[TableState] = (),
        *,
        rows: Mapping[QualifiedName, Iterable[StoredRow]] = MappingProxyType({}),
    ) -> None:
        states = _states(tables)
        self._tables = {table.name: replace(table, version=table.version or 0) for table in states}
        self._schemas = {(name.catalog, name.schema) for name in self._tables}
        self._rows: dict[QualifiedName, list[StoredRow]] = {}
        self._counters: dict[QualifiedName, dict[str, int]] = {}
        self._past: dict[tuple[QualifiedName, int], tuple[TableState, list[StoredRow]]] = {}
        if not isinstance(rows, Mapping):
            refuse_kind("rows of MemoryCatalog", "a mapping", rows, "write {model.name: [{'id': 1}]}")
        for name, inserted in rows.items():
            self.insert(name, inserted)

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Return the states of the tables of models, and of tables that a foreign key connects with them."""
        models = required_tables(models, "snapshot")
        names = set(names_around(models))
        names.update(
            name for name, table in self._tables.items() if any(key.parent in names for key in table.foreign_keys)
        )
        return self._read(names, conversions={model.name for model in models if model.convert_from is not None})

    def read_tables(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Return the states of the named tables alone."""
        return self._read(set(required_table_names(names, "read_tables")), conversions=set())

    def _read(self, names: set[QualifiedName], conversions: set[QualifiedName]) -> CatalogState:
        """Return the states of tables; those of ``conversions`` may be files that are not a Delta table yet."""
        problems = {
            name: has_lost_its_log(name, source.path, source.sign)
            if source.sign
            else is_not_delta(name, source.provider, converts=True)
            for name in sorted(names - conversions)
            if (source := self._state(name).source) is not None
        }
        tables = {name: self._state(name) for name in sorted(names - problems.keys())}
        return CatalogState.of({**tables, **problems})

    def rows(self, table: QualifiedName, *, version: int | None = None) -> list[dict[str, Any]]:
        """Return the rows of a table, by the names of columns in lower case.

        Raises:
            StatementError: If the table does not exist, or did not have that version before a change.
        """
        state = self._require(table)
        if version is None or version == state.version:
            return [dict(row) for row in self._rows.get(table, [])]
        if (table, version) not in self._past:
            msg = f"{table}: no change has kept the rows of version {version}; read the newest"
            raise StatementError(msg)
        return [dict(row) for row in self._past[table, version][1]]

    def as_stored(self, table: TableState, rows: Any) -> list[dict[str, Any]]:
        """Return rows as the table would return them after an insert; nothing is written."""
        return converted_rows(table, rows, Clock())

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:  # noqa: ARG002 - the port's signature
        """Return nothing, because there is no history of commits."""
        return ()

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
        """Return those of some paths that the table had before a change."""
        past = [state for (name, _), (state, _) in self._past.items() if name == table]
        return frozenset(path for path in paths if any(find(state.columns, path) is not None for state in past))

    def run(self, statement: Statement) -> None:
        """Apply the changes of ``statement``; the table's version goes up by one.

        Raises:
            StatementError: If a changed column does not exist.
            UnsafePlanError: If rows violate a NOT NULL column or a check that is added; nothing changes.
        """
        name = statement.table
        if statement.kind is StatementKind.CREATE_SCHEMA:
            self._schemas.add((name.catalog, name.schema))
            return
        if statement.kind is StatementKind.CREATE_TABLE:
            for action in statement.changes:
                self._create(cast("CreateTable", action))
            return
        if statement.kind is StatementKind.REGISTER_TABLE:
            return
        if statement.kind in _CHECKED_BY_ROWS:
            RowChecks(name, self._rows, self._require).require_sound_rows(statement)
        state = self._require(name)
        if statement.kind is StatementKind.RESTORE_TABLE:
            for restored in statement.changes:
                self._restore(state, cast("RestoreTable", restored).version)
            return
        rows = self._rows.get(name, [])
        self._past[name, state.version or 0] = (state, list(rows))
        for change in statement.changes:
            if isinstance(change, (ColumnDrop, ColumnRename)):
                to = change.to if isinstance(change, ColumnRename) else None
                changed = [moved(row, StructState(state.columns), change.path.parts, to) for row in rows]
                rows = [{folded(name): value for name, value in row.items()} for row in changed]
            state = apply_change(change, state)
        self._rows[name] = rows
        self._tables[name] = replace(state, version=(state.version or 0) + 1)

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema without its views, sorted."""
        return self._names(catalog, schema, views=False)

    def view_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of the views in a schema, sorted."""
        return self._names(catalog, schema, views=True)

    def _names(self, catalog: str, schema: str, *, views: bool) -> tuple[QualifiedName, ...]:
        states = {name: state for name, state in self._tables.items() if name[:2] == (catalog, schema)}
        return tuple(sorted(name for name, state in states.items() if state.kind.endswith("view") is views))

    def version(self, table: QualifiedName) -> Version:
        """Return how often the table was changed since it was created; ``ABSENT`` if it does not exist."""
        return version_of(CatalogState(tables={table: self._state(table)}), table)

    def data_checks(self, table: QualifiedName) -> RowChecks:
        """Return what counts and shows the rows of an existing table."""
        return RowChecks(table, self._rows, self._require)

    def insert(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows: all of them, or none.

        Args:
            table: The table.
            rows: Mappings from column names to values.

        Raises:
            DeclarationError: If ``table`` is not a name.
            StatementError: If the table or a column does not exist, a value does not fit its type, a NOT NULL column is
                NULL, or a check is not met.
        """
        required_table_name(table, "insert")
        state = self._require(table)
        counters = dict(self._counters.get(table, {}))
        added = [filled(row, state.columns, counters) for row in converted_rows(state, rows, Clock())]
        for number, row in enumerate(added, start=1):
            require_valid_row(state, row, number)
        self._counters[table] = counters
        self._rows.setdefault(table, []).extend(added)

    def append_rows(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows; :meth:`insert` refuses what Delta Lake refuses, and what cannot be evaluated without Spark.

        Args:
            table: An existing table.
            rows: Values of the types of the columns, by their names; all rows have the same columns.
        """
        self.insert(table, rows)

    def clone_table(self, source: QualifiedName, target: QualifiedName) -> None:
        """Clone a table with its rows and older versions; see :class:`ClonesTables`.

        Raises:
            StatementError: If there is no such table.
        """
        self._tables[target] = replace(self._require(source), name=target)
        self._rows[target] = [dict(row) for row in self._rows.get(source, [])]
        self._counters[target] = dict(self._counters.get(source, {}))
        past = {version: before for (name, version), before in self._past.items() if name == source}
        for version, (state, rows) in past.items():
            self._past[target, version] = replace(state, name=target), list(rows)

    def create_schema(self, catalog: str, schema: str) -> None:
        """Create a schema unless it exists."""
        self._schemas.add((catalog, schema))

    def drop_table(self, table: QualifiedName) -> None:
        """Drop a table if it exists."""
        for kept in (self._tables, self._rows, self._counters):
            kept.pop(table, None)

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema with everything in it if it exists."""
        self._schemas.discard((catalog, schema))
        for name in [name for name in self._tables if name[:2] == (catalog, schema)]:
            self.drop_table(name)

    def _state(self, name: QualifiedName) -> TableState:
        known = self._tables.get(name)
        schema_exists = (name.catalog, name.schema) in self._schemas
        return known or TableState(name=name, exists=False, schema_exists=schema_exists)

    def _require(self, name: QualifiedName) -> TableState:
        state = self._state(name)
        if not state.exists:
            msg = f"there is no table {name}; create it first"
            raise StatementError(msg, condition="TABLE_OR_VIEW_NOT_FOUND")
        return state

    def _create(self, action: CreateTable) -> None:
        name = action.table
        if (name.catalog, name.schema) not in self._schemas:
            msg = f"there is no schema {name.catalog}.{name.schema}; create it first"
            raise StatementError(msg, condition="SCHEMA_NOT_FOUND")
        if name in self._tables:
            msg = f"cannot create the table {name}, because it exists"
            raise StatementError(msg, condition="TABLE_OR_VIEW_ALREADY_EXISTS")
        self._tables[name] = new_table(action)

    def _restore(self, state: TableState, version: int) -> None:
        before, rows = self._past[state.name, version]
        self._past[state.name, state.version or 0] = (state, list(self._rows.get(state.name, [])))
        self._tables[state.name] = replace(before, version=(state.version or 0) + 1)
        self._rows[state.name] = list(rows)


def _states(tables: object) -> list[TableState]:
    """Return the tables of a catalog at its start."""
    subject, wanted = "MemoryCatalog", "the states of tables"
    if isinstance(tables, str) or not isinstance(tables, Iterable):
        refuse_kind(subject, wanted, tables, "write MemoryCatalog([TableState(...)])")
    states = list(tables)
    remedy = "create tables of models by Orchestrator.over(catalog).sync_tables"
    refuse(*(kind_fault(subject, wanted, state, remedy) for state in states if not isinstance(state, TableState)))
    return states
