"""The Databricks backend."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.data_queries import DataQueries
from pytest_delta_schema.backends.databricks.reader import (
    HiddenParentError,
    SchemaFacts,
    protocol_of,
    read_schema,
    state_of,
)
from pytest_delta_schema.backends.pool import at_once
from pytest_delta_schema.backends.problems import is_a_view, is_damaged, is_not_delta, problem
from pytest_delta_schema.backends.spark_session.capabilities import without_files
from pytest_delta_schema.delta.protocol import may_generate_columns
from pytest_delta_schema.errors import CatalogReadError, ReadProblem, StatementError
from pytest_delta_schema.execute.protocols import Capabilities, Refusal
from pytest_delta_schema.execute.version import ABSENT
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.models.table import names_around
from pytest_delta_schema.sql.information_schema import RUNTIME, schemata, tables_in
from pytest_delta_schema.sql.schemas_and_restores import describe_detail, describe_history, describe_schema, show_create
from pytest_delta_schema.sql.split_per_column import TOGETHER, one_by_one
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.states import CatalogState, TableState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.backends.databricks.connection import Connection
    from pytest_delta_schema.execute.protocols import RowCounts, Samples
    from pytest_delta_schema.execute.version import Version
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.state.introduced_by import IntroducedBy
    from pytest_delta_schema.state.types import ColumnState

NOT_FOUND = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "DELTA_TABLE_NOT_FOUND", "DELTA_MISSING_DELTA_TABLE")
"""What says that a table does not exist; every other answer means that it cannot be seen."""

_VIEWS = ("VIEW", "MATERIALIZED_VIEW", "STREAMING_TABLE")
_DELTA = "DELTA"


def _refuses(statement: Statement) -> Refusal | None:
    if statement.kind is StatementKind.REWRITE_LAYOUT:
        return Refusal(
            "there is no statement for it that keeps the table's constraints and comments, and no way to a transaction",
            "make the table anew under another name and copy the rows",
        )
    return without_files(statement)


CAPABILITIES = Capabilities(refuses=_refuses)

SEVERAL_COLUMNS = (16, 3)
"""The first runtime whose ALTER TABLE alters several columns at once (source: its release notes)."""


class DatabricksCatalog:
    """Delta tables of Unity Catalog on Databricks; statements run as they are shown.

    Args:
        connection: The connection to the workspace.
        read_threads: How many tables are read at once, at least 1.
    """

    name = "databricks"
    capabilities = CAPABILITIES

    def __init__(self, connection: Connection, read_threads: int = 8) -> None:
        self._door = connection
        self._read_threads = read_threads
        self._questions = DataQueries(self._values, self._there)

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables that ``models`` name and their parents: six queries a schema, and one read a table."""
        return CatalogState.of(self._read(names_around(models)))

    def read_tables(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Read the named tables alone: six queries a schema, and one read a table."""
        return CatalogState.of(self._read(sorted(set(names))))

    def introduced_by(self, table: QualifiedName, paths: Iterable[tuple[str, ...]]) -> tuple[IntroducedBy, ...]:  # noqa: ARG002 - the port's signature
        """Return nothing: an older schema takes a query of its own for each version."""
        return ()

    def past_columns(self, table: QualifiedName, paths: Iterable[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:  # noqa: ARG002 - the port's signature
        """Refuse, for the same reason.

        Raises:
            StatementError: Always.
        """
        msg = f"{table}: this backend reads no schemas of older versions"
        raise StatementError(msg)

    def run(self, statement: Statement) -> None:
        """Run one statement; on old runtimes one for each column.

        Raises:
            StatementError: If the workspace refuses.
        """
        is_taken = statement.kind not in TOGETHER or self._takes_several
        for each in (statement,) if is_taken else one_by_one(statement):
            self._door.rows(each.sql)

    @cached_property
    def _takes_several(self) -> bool:
        """Whether one ALTER TABLE may alter several columns."""
        from pytest_delta_schema.backends.databricks.rows import RuntimeRow, first

        try:
            runtime = first(RuntimeRow, self._door.rows(RUNTIME))["runtime"]
        except StatementError:
            return False  # so old that it does not even know the question
        if runtime is None:
            return True
        parts = runtime.split(".")[:2]
        return all(map(str.isdecimal, parts)) and tuple(map(int, parts)) >= SEVERAL_COLUMNS

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema, views aside, sorted; none if there is no such schema."""
        from pytest_delta_schema.backends.databricks.rows import TableRow, typed

        rows = typed(TableRow, self._door.rows(tables_in(catalog, schema)))
        kept = [row["table_name"].lower() for row in rows if row["table_type"] not in _VIEWS]
        return tuple(sorted(QualifiedName(catalog, schema, name) for name in kept))

    def version(self, table: QualifiedName) -> Version:
        """Return the table's newest version, ``ABSENT`` if it does not exist, or why its history cannot be read."""
        from pytest_delta_schema.backends.databricks.rows import VersionRow, first

        try:
            return first(VersionRow, self._door.rows(describe_history(table, limit=1)))["version"]
        except StatementError as error:
            return ABSENT if error.condition in NOT_FOUND else unreadable(table, error)

    def count_rows(
        self,
        table: QualifiedName,
        data_checks: Sequence[DataCheck] = (),
        *,
        added: Sequence[ColumnState] = (),
        stop_early: bool = False,
        files: str | None = None,
    ) -> RowCounts:
        """Count the rows that break each data check, in one scan."""
        return self._questions.count_rows(table, data_checks, added=added, stop_early=stop_early, files=files)

    def sample_rows(  # noqa: PLR0913 - the parts of one query
        self,
        table: QualifiedName,
        data_checks: Sequence[DataCheck],
        shown: Sequence[Sequence[str]],
        *,
        number: int,
        added: Sequence[ColumnState] = (),
        files: str | None = None,
    ) -> Samples:
        """Return a few rows that break each data check, as texts."""
        return self._questions.sample_rows(table, data_checks, shown, number=number, added=added, files=files)

    def _read(self, names: Sequence[QualifiedName]) -> Mapping[QualifiedName, TableState | ReadProblem]:
        facts = {place: self._facts(*place) for place in dict.fromkeys(name[:2] for name in names)}

        def read(name: QualifiedName) -> TableState | ReadProblem | None:
            seen = facts[name[:2]]
            return unreadable(name, seen) if isinstance(seen, StatementError) else self._table(name, seen)

        found = at_once(read, names, self._read_threads)
        absent = [name for name, each in found.items() if each is None]
        schemas = {place: self._has_schema(*place) for place in dict.fromkeys(name[:2] for name in absent)}
        return {name: each or _absent(name, schemas[name[:2]]) for name, each in found.items()}

    def _facts(self, catalog: str, schema: str) -> SchemaFacts | StatementError:
        try:
            return read_schema(self._door.rows, catalog, schema)
        except StatementError as error:
            return error

    def _table(  # noqa: PLR0911 - one answer a kind of thing that may stand there
        self, name: QualifiedName, facts: SchemaFacts
    ) -> TableState | ReadProblem | None:
        """Read one table; ``None`` if there is none of that name."""
        from pytest_delta_schema.backends.databricks.rows import CreateRow, DetailRow, first

        shown = facts.tables.get(name.table)
        if shown is not None and shown["table_type"] in _VIEWS:
            return is_a_view(name)
        if shown is not None and shown["data_source_format"] is not None and shown["data_source_format"] != _DELTA:
            return is_not_delta(name, shown["data_source_format"])
        try:
            detail = first(DetailRow, self._door.rows(describe_detail(name)))
            created = (
                first(CreateRow, self._door.rows(show_create(name)))["createtab_stmt"]
                if may_generate_columns(protocol_of(detail)) or name.table in facts.keys
                else None
            )
        except StatementError as error:
            return None if shown is None and error.condition in NOT_FOUND else unreadable(name, error)
        if shown is None:
            fact = "is there, and information_schema does not show it to this principal"
            return problem(name, fact, "give the principal SELECT or BROWSE on it")
        try:
            return state_of(name, facts, detail, created)
        except HiddenParentError as error:
            return problem(name, str(error), "give the principal BROWSE on the parent")
        except (IndexError, KeyError, RecursionError, TypeError, ValueError) as error:
            return is_damaged(name, error)

    def _has_schema(self, catalog: str, schema: str) -> bool | StatementError:
        """Say whether a schema is there, which it may be without being shown; or why nobody can tell."""
        try:
            if not self._door.rows(schemata(catalog, schema)):
                self._door.rows(describe_schema(catalog, schema))
        except StatementError as error:
            return False if error.condition == "SCHEMA_NOT_FOUND" else error
        return True

    def _there(self, names: Sequence[QualifiedName]) -> Mapping[QualifiedName, TableState]:
        """Return the tables that are there.

        Raises:
            CatalogReadError: If nobody can tell.
        """
        state = CatalogState.of(self._read(sorted(set(names))))
        if state.problems:
            raise CatalogReadError(state.problems.values())
        return {name: table for name, table in state.tables.items() if table.exists}

    def _values(self, sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in self._door.rows(sql)]


def unreadable(name: QualifiedName, error: StatementError) -> ReadProblem:
    """Say that a table cannot be seen, which is another thing than its absence."""
    return problem(name, f"cannot be read ({error})", "give the principal the permission, or mend the workspace")


def _absent(name: QualifiedName, schema: bool | StatementError) -> TableState | ReadProblem:  # noqa: FBT001 - an answer
    if isinstance(schema, StatementError):
        return unreadable(name, schema)
    return TableState(name=name, exists=False, schema_exists=schema)
