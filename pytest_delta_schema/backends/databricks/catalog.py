"""The catalog of a Databricks workspace, and what its runtime refuses."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.databricks.descriptions import (
    PLAIN,
    DetailRow,
    description_of_json,
    description_of_rows,
    description_of_statement,
)
from pytest_delta_schema.backends.databricks.reading import (
    RUNTIME,
    CreateRow,
    HiddenParentError,
    RuntimeRow,
    SchemaFacts,
    TableRow,
    VersionRow,
    checked_json,
    describe_json,
    describe_schema,
    describe_schema_extended,
    first,
    object_state,
    prepare_row_types,
    read_schema,
    schemata,
    select_tables,
    show_create,
    state_of,
    typed,
)
from pytest_delta_schema.backends.kit import (
    MALFORMED,
    DataQueries,
    UnreadableTable,
    first_line,
    folded,
    is_damaged,
    map_concurrently,
    problem,
    read_all_until_settled,
    refuse_kind,
    refused,
    required_table_names,
    snapshot_names,
    statements_per_column,
    without_files,
)
from pytest_delta_schema.diagnostics.errors import CatalogReadError, Diagnostic, StatementError
from pytest_delta_schema.execute import ABSENT, Capabilities, Lag, Refusal
from pytest_delta_schema.models import QualifiedName
from pytest_delta_schema.sql import Statement, StatementKind, describe_detail, describe_history, dotted, identifier
from pytest_delta_schema.state import CatalogState, TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.backends.databricks.connection import Connection
    from pytest_delta_schema.backends.databricks.descriptions import Description
    from pytest_delta_schema.execute import Version
    from pytest_delta_schema.models import Table
    from pytest_delta_schema.state import ColumnPath, IntroducedBy

_NO_FUNCTION = ("UNRESOLVED_ROUTINE", "UNDEFINED_FUNCTION", "UNRESOLVED_FUNCTION")
"""The conditions of a function that a runtime lacks; any other error says nothing about its version."""


def _refuses(statement: Statement) -> Refusal | None:
    if statement.kind is StatementKind.REWRITE_LAYOUT:
        return Refusal(
            "no statement for it keeps the table's constraints and comments, and a transaction cannot be reached",
            "create the table again under another name and copy the rows",
        )
    return without_files(statement)


CAPABILITIES = Capabilities(
    refuses=_refuses,
    refuses_clones=Refusal(
        "a clone in Unity Catalog has neither the tags nor the comment of its table",
        "test with rows of make_delta_table and the local backend",
    ),
    lag=Lag(seconds=60.0),
    checks_follow=True,
)
"""The capabilities of a SQL warehouse, and of the newest runtime; source about clones: Databricks' documentation.

How far information_schema is behind is not documented; a minute is an assumption.
"""

RUNTIME_WITH_SEVERAL_COLUMNS = (16, 3)
"""The first runtime whose ALTER TABLE changes several columns at once (source: its release notes)."""

RUNTIME_WITH_JSON = (16, 2)
"""The first runtime with DESCRIBE TABLE EXTENDED ... AS JSON (source: its reference of the statement)."""

UNIQUE_CONSTRAINTS = (18, 3)
"""The first runtime with UNIQUE constraints.

An assumption: the release notes of Databricks SQL announce them on 5 June 2026 and name no runtime. Runtime 18.2 is of
April 2026, and what would have been 18.3 are dated updates of the runtime 18.
"""


class Runtime:
    """The runtime of a connection, whose version is read when it is first needed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def parts_of(self, statement: Statement) -> tuple[Statement, ...]:
        """Return the statements that it runs for one: on old runtimes one for each column."""
        parts = statements_per_column(statement)
        is_split = len(parts) > 1 and self._version < RUNTIME_WITH_SEVERAL_COLUMNS
        return parts if is_split else (statement,)

    def refuses(self, statement: Statement) -> Refusal | None:
        """Refuse what all runtimes lack, and what the runtime of this connection is too old for."""
        if statement.kind is not StatementKind.ADD_UNIQUE:
            return _refuses(statement)
        try:
            is_old = self._version < UNIQUE_CONSTRAINTS
        except StatementError as error:
            fact = f"the version of its runtime cannot be read ({first_line(error)})"
            return Refusal(f"{fact}, and old ones have no UNIQUE constraints", "run it again")
        if is_old:
            remedy = "run it on a newer runtime or a SQL warehouse, or leave the constraint out"
            return Refusal("its runtime has no UNIQUE constraints, which came after 18.2", remedy)
        return _refuses(statement)

    def ask(self) -> None:
        """Read the version before several threads do; an error is raised where the version is needed."""
        with suppress(StatementError):
            _ = self._version

    @property
    def describes_as_json(self) -> bool:
        """Whether it has DESCRIBE TABLE EXTENDED ... AS JSON."""
        return self._version >= RUNTIME_WITH_JSON

    @cached_property
    def _version(self) -> tuple[float, ...]:
        """The version of the runtime, such as ``(16, 4)``; empty if it is unknown.

        SQL warehouses have none and are always current. From 18 on a runtime may have no minor version, and changes by
        dated updates (source: its release notes): it counts as the newest of its number.
        """
        try:
            runtime = first(RuntimeRow, self._connection.rows(RUNTIME))["runtime"]
        except StatementError as error:
            if error.condition not in _NO_FUNCTION:
                raise
            return ()  # an old runtime without this function
        if runtime is None:
            return (inf,)
        major, _, rest = runtime.partition(".")
        minor = rest.partition(".")[0]
        return (int(major), int(minor) if minor.isdecimal() else inf) if major.isdecimal() else ()


_COLLATION = "COLLATION"
"""The item of DESCRIBE SCHEMA EXTENDED that holds the default collation of a schema (Spark 4.1)."""


class DefaultCollations:
    """Reads default collations, each once, when a plan adds a CHECK."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[str, str] = {}

    def refusal(self, statement: Statement, observed: TableState | None) -> Refusal | None:
        """Return why a statement cannot add its check to a table, which is ``None`` if it is created, or ``None``."""
        table = statement.table
        if statement.kind is not StatementKind.ADD_CHECK:
            return None
        what, name, read = "table", dotted(table), self._of_table
        if observed is None:
            what, name, read = "schema", ".".join(map(identifier, table.written[:2])), self._of_schema
        if name not in self._known:
            self._known[name] = read(table)
        if self._known[name] in ("", PLAIN):
            return None
        fact = f"the default collation of the {what} is {self._known[name]}"
        reason = f"{fact}, and Databricks takes a CHECK under {PLAIN} only"
        remedy = f"leave the checks out, or run ALTER {what.upper()} {name} DEFAULT COLLATION {PLAIN}"
        return Refusal(reason, f"{remedy}, which changes columns that are added later only")

    def _of_table(self, table: QualifiedName) -> str:
        try:
            (row,) = self._connection.values(describe_json(table))
            return str(checked_json(row[0]).get("collation") or "").upper()
        except (StatementError, *MALFORMED):
            return ""

    def _of_schema(self, table: QualifiedName) -> str:
        try:
            rows = self._connection.values(describe_schema_extended(*table.written[:2]))
        except StatementError:
            return ""
        return next((str(row[1]).upper() for row in rows if str(row[0]).upper() == _COLLATION), "")


ABSENT_ON_DATABRICKS = (
    "TABLE_OR_VIEW_NOT_FOUND",
    "SCHEMA_NOT_FOUND",
    "DELTA_TABLE_NOT_FOUND",
    "DELTA_MISSING_DELTA_TABLE",
)
"""The conditions of a table that does not exist; any other error means that it cannot be read."""

_VIEWS = ("VIEW", "MATERIALIZED_VIEW", "STREAMING_TABLE")
_DELTA = "DELTA"
_MATERIALIZATION = "__materialization_"
"""The beginning of the names of tables that keep the rows of materialized views and streaming tables."""


class DatabricksCatalog:
    """Delta tables of Unity Catalog on Databricks; statements run as they are shown.

    Args:
        connection: The connection to the workspace.
        read_threads: How many tables are read at once, at least 1.

    Raises:
        DeclarationError: If ``connection`` is something else.
    """

    name = "databricks"
    capabilities = CAPABILITIES

    def __init__(self, connection: Connection, *, read_threads: int = 8) -> None:
        if isinstance(connection, type) or not hasattr(connection, "rows"):
            refuse_kind("DatabricksCatalog", "a connection", connection, "give connect_databricks(warehouse)")
        prepare_row_types()
        self._connection = connection
        self._runtime = Runtime(connection)
        collations = DefaultCollations(connection)
        self.capabilities = replace(
            CAPABILITIES,
            refuses=self._runtime.refuses,
            refuses_for_table=collations.refusal,
        )
        self._read_threads = read_threads

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables of models and of their foreign keys: six queries for a schema, and one for a table."""
        return CatalogState.of(self._read(snapshot_names(models)))

    def read_tables(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Read only the named tables: six queries for a schema, and one for a table."""
        return CatalogState.of(self._read(required_table_names(names, "read_tables")))

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:  # noqa: ARG002 - the port's signature
        """Return nothing, because each older schema would take a query."""
        return ()

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:  # noqa: ARG002 - the port's signature
        """Refuse, because each older schema would take a query.

        Raises:
            StatementError: Always.
        """
        msg = f"{table}: this backend reads no schemas of older versions"
        raise StatementError(msg)

    def run(self, statement: Statement) -> None:
        """Run one statement; on old runtimes one for each column.

        Raises:
            StatementError: If the workspace refuses it.
        """
        for part in self._runtime.parts_of(statement):
            self._connection.rows(part.sql)

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema without its views, sorted; none if the schema does not exist.

        Tables in which Databricks keeps the rows of materialized views and streaming tables are left out.
        """
        return self._names(catalog, schema, views=False)

    def view_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of the views of all kinds in a schema, sorted; none if the schema does not exist."""
        return self._names(catalog, schema, views=True)

    def version(self, table: QualifiedName) -> Version:
        """Return the table's newest version, ``ABSENT`` if it does not exist, or why its history cannot be read."""
        try:
            return first(VersionRow, self._connection.rows(describe_history(table, limit=1)))["version"]
        except StatementError as error:
            return ABSENT if error.condition in ABSENT_ON_DATABRICKS else unreadable_on_databricks(table, error)

    def data_checks(self, table: QualifiedName) -> DataQueries:
        """Return what counts and shows the rows of an existing table."""
        return DataQueries(table, self._connection.values, self._existing)

    def _names(self, catalog: str, schema: str, *, views: bool) -> tuple[QualifiedName, ...]:
        rows = typed(TableRow, self._connection.rows(select_tables(catalog, schema)))
        names = [folded(row["table_name"]) for row in rows if (row["table_type"] in _VIEWS) is views]
        kept = [name for name in names if not name.startswith(_MATERIALIZATION)]
        return tuple(sorted(QualifiedName(catalog, schema, name) for name in kept))

    def _read(self, names: Sequence[QualifiedName]) -> Mapping[QualifiedName, TableState | Diagnostic]:
        """Read tables; those with a problem again, because the queries about a schema are not of one moment."""
        results: dict[QualifiedName, TableState | Diagnostic] = {}

        def read(names: Sequence[QualifiedName]) -> None:
            results.update(self._read_once(names))

        read_all_until_settled(names, read, results)
        return results

    def _read_once(self, names: Sequence[QualifiedName]) -> Mapping[QualifiedName, TableState | Diagnostic]:
        facts = {schema: self._facts(*schema) for schema in dict.fromkeys(name[:2] for name in names)}

        def read(name: QualifiedName) -> TableState | Diagnostic | None:
            schema = facts[name[:2]]
            return (
                unreadable_on_databricks(name, schema)
                if isinstance(schema, StatementError)
                else self._table(name, schema)
            )

        self._runtime.ask()
        tables = map_concurrently(read, names, self._read_threads, cancel=self._connection.cancel)
        absent = dict.fromkeys(name[:2] for name, table in tables.items() if table is None)
        schemas = {schema: self._has_schema(*schema) for schema in absent}
        return {name: table or _absent(name, schemas[name[:2]]) for name, table in tables.items()}

    def _facts(self, catalog: str, schema: str) -> SchemaFacts | StatementError:
        try:
            return read_schema(self._connection.rows, catalog, schema)
        except StatementError as error:
            return error

    def _table(self, name: QualifiedName, facts: SchemaFacts) -> TableState | Diagnostic | None:
        """Read one table; ``None`` if it does not exist."""
        shown = facts.tables.get(name.table)
        try:
            if shown is not None and (kind := _other_kind(shown)):
                return object_state(name, facts, kind, shown["comment"] or "")
            described = self._described(name, facts)
            if shown is None:
                fact = "exists, and information_schema does not show it to this principal"
                return problem(UnreadableTable, name, fact, "give the principal SELECT or BROWSE on it")
            return state_of(name, facts, described)
        except HiddenParentError as error:
            return problem(UnreadableTable, name, str(error), "give the principal BROWSE on the parent")
        except MALFORMED as error:
            return is_damaged(name, error)
        except StatementError as error:
            is_absent = shown is None and error.condition in ABSENT_ON_DATABRICKS
            return None if is_absent else unreadable_on_databricks(name, error)

    def _described(self, name: QualifiedName, facts: SchemaFacts) -> Description:
        """Return what one answer shows of a table, if possible; else several, and what none of them shows.

        Only a CREATE statement shows whether queries may rely on a key, generated columns and identities.
        """
        ways = (self._by_json, self._by_statement)
        described: Description | None = None
        for way in reversed(ways) if name.table in facts.keys else ways:
            described = self._tried(way, name, facts) or described
            if described is not None and (described.relied is not None or not described.may_generate):
                break
        if described is None:
            return description_of_rows(self._detail(name), facts.columns_of(name.table))
        if described.relied is None and described.may_generate:
            described = replace(described, not_shown=("generated columns",))
        return described if described.is_whole else described.with_stored(self._detail(name))

    def _tried(
        self,
        way: Callable[[QualifiedName, SchemaFacts], Description | None],
        name: QualifiedName,
        facts: SchemaFacts,
    ) -> Description | None:
        """Return what one way of reading shows; ``None`` if it cannot be used for this table."""
        try:
            return way(name, facts)
        except MALFORMED:
            return None
        except StatementError as error:
            if error.condition in ABSENT_ON_DATABRICKS:
                raise
            return None

    def _by_json(self, name: QualifiedName, facts: SchemaFacts) -> Description | None:
        if not self._runtime.describes_as_json:
            return None
        (row,) = self._connection.values(describe_json(name))
        try:
            listed = facts.columns_of(name.table)
        except ValueError:
            listed = ()
        return description_of_json(checked_json(row[0]), listed)

    def _by_statement(self, name: QualifiedName, _facts: SchemaFacts) -> Description:
        created = first(CreateRow, self._connection.rows(show_create(name)))["createtab_stmt"]
        return description_of_statement(created, name)

    def _detail(self, name: QualifiedName) -> DetailRow:
        return first(DetailRow, self._connection.rows(describe_detail(name)))

    def _has_schema(self, catalog: str, schema: str) -> bool | StatementError:
        """Return whether a schema exists, also if it is not listed; or why that is not known."""
        try:
            if not self._connection.rows(schemata(catalog, schema)):
                self._connection.rows(describe_schema(catalog, schema))
        except StatementError as error:
            return False if error.condition == "SCHEMA_NOT_FOUND" else error
        return True

    def _existing(self, names: Sequence[QualifiedName]) -> Mapping[QualifiedName, TableState]:
        """Return the states of those tables that exist; raise a ``CatalogReadError`` if one cannot be read."""
        state = CatalogState.of(self._read(sorted(set(names))))
        if state.problems:
            raise CatalogReadError(state.problems.values())
        return {name: table for name, table in state.tables.items() if table.exists}


def _other_kind(shown: TableRow) -> str:
    """Return what an object is instead of a Delta table; ``""`` for a Delta table."""
    if shown["table_type"] in _VIEWS:
        return shown["table_type"].lower().replace("_", " ")
    data_format = shown["data_source_format"]
    return "" if data_format in {None, _DELTA} else f"{data_format.lower()} table"


def unreadable_on_databricks(name: QualifiedName, error: StatementError) -> Diagnostic:
    """Return the problem of a table that cannot be read, whether it exists or not."""
    return refused(name, error, "give the principal the permission, or repair the workspace")


def _absent(name: QualifiedName, schema: bool | StatementError) -> TableState | Diagnostic:  # noqa: FBT001 - an answer
    if isinstance(schema, StatementError):
        return unreadable_on_databricks(name, schema)
    return TableState(name=name, exists=False, schema_exists=schema)
