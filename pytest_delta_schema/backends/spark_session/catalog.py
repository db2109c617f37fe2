"""The backend ``session``: tables of any Spark session, read and changed by SQL."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.problems import cannot_clone, problem, require_commits_in_log, without_files
from pytest_delta_schema.backends.rows import DataQueries
from pytest_delta_schema.backends.spark.catalog import SparkTables
from pytest_delta_schema.backends.spark.compat import Gateway, is_connect_session
from pytest_delta_schema.backends.spark.errors import running_in_spark
from pytest_delta_schema.backends.spark.sessions import as_written
from pytest_delta_schema.backends.spark.statements import DeltaStatements
from pytest_delta_schema.backends.spark.versions import BY_COMMIT, BY_PROPERTY, OPEN_SOURCE_DELTA, SparkVersions
from pytest_delta_schema.backends.spark_session.reading import (
    ABSENT_ON_SPARK,
    SessionReader,
    files_of,
    lasting_names,
    read_log,
    unreadable_by_session,
)
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.errors import CatalogReadError, StatementError, first_line
from pytest_delta_schema.diagnostics.faults import AbsentTable
from pytest_delta_schema.execute.protocols import ABSENT, Refusal
from pytest_delta_schema.models.arguments import refuse, session_fault
from pytest_delta_schema.models.names import QualifiedName, required_table_names
from pytest_delta_schema.models.sets import names_around
from pytest_delta_schema.models.table import conversions, required_tables
from pytest_delta_schema.plan.changes import CheckAdd, SetTableComment
from pytest_delta_schema.sql.compiler import rendered
from pytest_delta_schema.sql.renderers import describe_detail, shallow_clone, show_tables, show_views
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.delta_log import LogFacts
from pytest_delta_schema.state.states import CatalogState, TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.execute.protocols import Capabilities, Version
    from pytest_delta_schema.models.table import Table


_STRING = re.compile(r"(?s)'(?:[^'\\]|\\.)*(?:'|\\?\Z)")
_TOKENS = ("::", "->")
_REMEDY = "apply it from a classic session, which is on the driver itself"


def without_transactions(statement: Statement) -> Refusal | None:
    """Refuse statements that only a transaction in the JVM can do."""
    if statement.kind not in BY_COMMIT:
        return without_files(statement)
    if statement.kind is not StatementKind.ADD_CHECK:
        return Refusal("open-source Delta has no SQL for it, and Spark Connect cannot reach a transaction", _REMEDY)
    split = [
        change.name for change in statement.changes if isinstance(change, CheckAdd) and _is_split(change.expression)
    ]
    if not split:
        return None
    reason = f"Delta's ADD CONSTRAINT would split tokens of {', '.join(split)} (a quote in a string literal, :: or ->)"
    return Refusal(reason, f"write the check in another way, or {_REMEDY}")


CLASSIC = replace(OPEN_SOURCE_DELTA, refuses=without_files)
"""The capabilities of a classic session."""

REMOTE = replace(OPEN_SOURCE_DELTA, emulates=BY_PROPERTY, refuses=without_transactions)
"""The capabilities of a session of Spark Connect."""


def _is_split(expression: str) -> bool:
    """Whether joining the tokens with spaces, as Delta 4.4.0 does, changes the meaning of an expression."""
    texts = list(_STRING.finditer(expression))
    touching = any(first.end() == second.start() for first, second in pairwise(texts))
    return touching or any(token in _STRING.sub("", expression) for token in _TOKENS)


READ_THREADS = 8
"""The default number of tables that are read at the same time."""


class SessionCatalog(SparkTables):
    """Delta tables through any Spark session: one of Spark Connect, one on a cluster, or a classic one.

    Args:
        spark: The session; it is never stopped here.
        read_threads: How many tables are read at the same time, at least 1.

    Raises:
        DeclarationError: If ``spark`` is not a session.
    """

    name = "session"

    def __init__(
        self,
        spark: SparkSession,
        *,
        read_threads: int = READ_THREADS,
        _by_commit: frozenset[StatementKind] = BY_COMMIT,
        _redacted: Callable[[str], str] = str,
    ) -> None:
        refuse(session_fault(spark, "SessionCatalog"))
        self._spark = spark
        self._redacted = _redacted
        self._reader = SessionReader(spark, read_threads, _redacted)
        self._gateway = None if is_connect_session(spark) else Gateway(spark)
        self._statements = DeltaStatements(
            self._sql, self.data_checks, self._gateway, lambda: self.capabilities, _by_commit
        )

    @property
    def spark(self) -> SparkSession:
        """The session."""
        return self._spark

    @cached_property
    def capabilities(self) -> Capabilities:
        """The capabilities of the session; its versions are read when they are first needed."""
        with self._reader.translate_errors():
            versions = SparkVersions.of(self.spark, self._gateway)
        return versions.limit(REMOTE if self._gateway is None else CLASSIC)

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables of models and of their foreign keys: two statements and a schema each, several at once."""
        models = required_tables(models, "snapshot")
        return self._reader.states(names_around(models), conversions(models))

    def read_tables(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Read the named tables alone: two statements and a schema each, several at once."""
        return self._reader.states(required_table_names(names, "read_tables"), {})

    def log(self, name: QualifiedName) -> LogFacts:
        """Read the log of one table that exists.

        Raises:
            CatalogReadError: If it does not exist, or cannot be read.
        """
        facts = read_log(self._reader, name)
        if isinstance(facts, TableState):
            raise CatalogReadError([CatalogState.of({name: facts}).problem(name)])
        if not isinstance(facts, LogFacts):
            absent = problem(AbsentTable, name, "is not known to the Spark session", "see its catalogs")
            raise CatalogReadError([facts or absent])
        return replace(facts, version=self._reader.newest(name)) if facts.version < 0 else facts

    def table_id(self, table: QualifiedName) -> str:
        """Return the id of an existing table, by DESCRIBE DETAIL."""
        return str(self._reader.rows(describe_detail(table))[0]["id"])

    def run(self, statement: Statement) -> None:
        """Run one statement, or emulate it on open-source Delta.

        Raises:
            UnsafePlanError: If rows violate a NOT NULL column or a check that is added; nothing was changed.
            StatementError: If Spark or Delta refuses it.
        """
        with running_in_spark(self.spark, self._redacted):
            self._statements.run(statement)

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema without its views, sorted; none if the schema does not exist."""
        try:
            tables = lasting_names(self._reader.rows(show_tables(catalog, schema)))
        except StatementError as error:
            if error.condition == "SCHEMA_NOT_FOUND":
                return ()
            raise
        views = self._views(catalog, schema)
        return tuple(sorted(QualifiedName(catalog, schema, folded(name)) for name in tables if name not in views))

    def view_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of the views in a schema, sorted; none if the schema does not exist."""
        return tuple(sorted(QualifiedName(catalog, schema, folded(name)) for name in self._views(catalog, schema)))

    def version(self, table: QualifiedName) -> Version:
        """Return the table's newest version, ``ABSENT`` if it does not exist, or why its history cannot be read."""
        try:
            return self._reader.newest(table)
        except StatementError as error:
            return ABSENT if error.condition in ABSENT_ON_SPARK else unreadable_by_session(table, error)

    def data_checks(self, table: QualifiedName) -> DataQueries:
        """Return what counts and shows the rows of an existing table."""
        return DataQueries(table, self._reader.rows, self._reader.readable)

    def clone_table(self, source: QualifiedName, target: QualifiedName) -> None:
        """Clone a table by SHALLOW CLONE, and give the clone the table's comment, which Delta leaves out (Delta 4.4.0).

        The history of the clone begins with it. It reads the files of the table until it writes its own, so a VACUUM of
        the table may remove files that the clone reads.

        Raises:
            CatalogReadError: If the table does not exist, or cannot be read.
            StatementError: If Delta refuses it.
        """
        state = self.read_tables([source]).existing(source)
        require_commits_in_log(state)
        try:
            self._reader.rows(shallow_clone(source, target))
        except StatementError as error:
            raise cannot_clone(source, first_line(error), condition=error.condition) from error
        for statement in rendered(target, SetTableComment(comment=state.table_comment or "")):
            self.run(statement)

    @contextmanager
    def _in_spark(self, catalog: str) -> Iterator[SessionCatalog]:  # noqa: ARG002 - the session knows its catalogs
        with self._reader.translate_errors():
            yield self

    def _state(self, table: QualifiedName) -> TableState:
        return self._reader.readable([table])[table]

    def _log_files(self, table: QualifiedName) -> LogFiles:
        self.read_tables([table]).existing(table)
        return files_of(self._reader, table)

    def _views(self, catalog: str, schema: str) -> set[str]:
        """Return the names of the views of a schema, as Spark spells them."""
        try:
            return set(lasting_names(self._reader.rows(show_views(catalog, schema))))
        except StatementError:
            # Catalogs without views refuse to list them.
            return set()

    def _sql(self, text: str) -> Any:
        with as_written(self.spark, text):
            return self.spark.sql(text)
