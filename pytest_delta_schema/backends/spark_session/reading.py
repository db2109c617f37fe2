"""Read the state of a table by SQL alone: two statements and a schema, without a Spark job.

Spark's schema hides generation expressions and identities (Delta 4.4.0). For tables with these features the log is
read as well.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pytest_delta_schema.backends.concurrency import map_concurrently, read_until_settled
from pytest_delta_schema.backends.logs.files import DamagedLog, LocalFiles, LogFault, local_folder
from pytest_delta_schema.backends.logs.log import DeltaLog, inspected
from pytest_delta_schema.backends.problems import MALFORMED, cannot_convert, is_damaged, is_doubtful, problem, refused
from pytest_delta_schema.backends.spark.compat import is_connect_session
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.backends.spark.logs import HadoopFiles, SqlFiles
from pytest_delta_schema.backends.spark.sessions import as_written
from pytest_delta_schema.backends.spark.statements import schema_of
from pytest_delta_schema.backends.spark.versions import may_be_refused, may_lack_rows, refused_by_spark
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.delta.protocol import (
    CLUSTERING_PROPERTY,
    commits_are_in_catalog,
    may_generate_columns,
    split_properties,
)
from pytest_delta_schema.diagnostics.errors import CatalogReadError, Diagnostic, StatementError
from pytest_delta_schema.diagnostics.faults import UnreadableTable
from pytest_delta_schema.sql.renderers import (
    describe_detail,
    describe_extended,
    describe_history,
    show_properties,
    show_schemas,
)
from pytest_delta_schema.state.delta_log import LogFacts
from pytest_delta_schema.state.states import CatalogState, TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.models.constraints import Parquet
    from pytest_delta_schema.models.names import QualifiedName


ABSENT_ON_SPARK = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND")
"""Spark's conditions for a table that does not exist; any other error is a table that cannot be read."""


class SessionReader:
    """Reads tables of a session."""

    def __init__(self, spark: SparkSession, threads: int, redacted: Callable[[str], str]) -> None:
        self._spark = spark
        self._threads = threads
        self._redacted = redacted

    def translate_errors(self) -> AbstractContextManager[None]:
        """Turn the errors of Spark in the block into errors of this package, without secrets."""
        return translate_errors(self._redacted, self._spark)

    def rows(self, text: str) -> Sequence[Any]:
        """Return the rows of a query."""
        with self.translate_errors(), as_written(self._spark, text):
            return self._spark.sql(text).collect()

    def schema(self, name: QualifiedName) -> Any:
        """Return the schema of a table as Spark shows it."""
        with self.translate_errors():
            return schema_of(self._spark, name)

    def files(self, location: str) -> LogFiles | None:
        """Return the log of the table at a location; ``None`` over Spark Connect, which cannot open files."""
        folder = local_folder(location)
        if is_connect_session(self._spark):
            return None
        return HadoopFiles(self._spark, unquote(location)) if folder is None else LocalFiles(folder)

    def require_rows(self, location: str) -> None:
        """Require that Spark opens the table at a location, and lists its files; no rows are read."""
        with self.translate_errors():
            self._spark.read.format("delta").load(unquote(location)).inputFiles()

    def states(self, names: Sequence[QualifiedName], sources: Mapping[QualifiedName, Parquet]) -> CatalogState:
        """Read tables: two statements and a schema each."""
        read = map_concurrently(partial(read_table, self), names, self._threads)
        absent = [name for name, state in read.items() if state is None]
        schemas = {catalog: self._schemas(catalog) for catalog in dict.fromkeys(name.catalog for name in absent)}
        return CatalogState.of(
            {
                name: state or self._absent(name, schemas[name.catalog], sources.get(name))
                for name, state in read.items()
            }
        )

    def readable(self, names: Sequence[QualifiedName]) -> dict[QualifiedName, TableState]:
        """Return the states of those tables that exist and can be read."""
        return {
            name: state
            for name, state in map_concurrently(partial(read_table, self), names, self._threads).items()
            if isinstance(state, TableState)
        }

    def newest(self, table: QualifiedName) -> int:
        """Return the newest version of a table."""
        return int(self.rows(describe_history(table, limit=1))[0][0])

    def _schemas(self, catalog: str) -> set[str] | StatementError:
        """Return the schemas of a catalog, or why they cannot be listed."""
        try:
            return {folded(row[0].strip("`").replace("``", "`")) for row in self.rows(show_schemas(catalog))}
        except StatementError as error:
            return error

    def _absent(
        self, name: QualifiedName, schemas: set[str] | StatementError, source: Parquet | None
    ) -> TableState | Diagnostic:
        """Return the state of a table that does not exist, or why that is not certain."""
        if source is not None and source.path is not None:
            return cannot_convert(name, source.path)
        if isinstance(schemas, StatementError):
            fact = f"is not found, and the schemas of {name.catalog} cannot be listed ({schemas})"
            return problem(UnreadableTable, name, fact, "repair the session, or its permission to list them")
        return TableState(name=name, exists=False, schema_exists=name.schema in schemas)


def lasting_names(rows: Iterable[Sequence[Any]]) -> list[str]:
    """Return the names that SHOW TABLES or SHOW VIEWS lists, without the temporary views of the session."""
    return [name for _, name, is_temporary, *_ in rows if not is_temporary]


def read_table(session: SessionReader, name: QualifiedName) -> TableState | Diagnostic | None:
    """Read the state of one table, like :func:`read_log`."""
    facts = read_log(session, name)
    try:
        return facts.state(name) if isinstance(facts, LogFacts) else facts
    except MALFORMED as error:
        return is_damaged(name, error)


def read_log(session: SessionReader, name: QualifiedName) -> LogFacts | TableState | Diagnostic | None:
    """Read the log of a table, or the state of what is not a Delta table; ``None`` if it does not exist."""
    return read_until_settled(lambda: _read_once(session, name), is_doubtful)[-1]


def _read_once(  # noqa: PLR0911 - one result for each kind of table
    session: SessionReader, name: QualifiedName
) -> LogFacts | TableState | Diagnostic | None:
    sql = session.rows
    try:
        described = sql(describe_extended(name))
        fields = session.schema(name)
        description = Description(described, len(fields.fields))
        kind = _other_kind(description)
        if kind:
            columns = LogFacts({"schemaString": fields.json()}, {}).columns
            return TableState(name=name, columns=columns, table_comment=description["Comment"], kind=kind)
        properties = {row[0]: row[1] for row in sql(show_properties(name))}
        location = description["Location"]
        log = None if commits_are_in_catalog(properties) else session.files(location)
        checked = None if log is None else inspected(name, log)
        if isinstance(checked, Diagnostic):
            return checked
        configuration, protocol = split_properties(properties)
        metadata = {
            "schemaString": fields.json(),
            "description": description["Comment"],
            "configuration": configuration,
            "partitionColumns": description.partitions,
        }
        facts = LogFacts(metadata, protocol)
        if log is not None and (may_lack_rows(checked, protocol) or may_be_refused(facts)):
            session.require_rows(location)
        hidden = _hidden(properties, protocol)
        if hidden:
            return _from_log(session, name, location, hidden)
        if _REDACTED in configuration.values():
            # Spark hides values with words such as url and token in their keys or texts, but not here (Spark 4.2).
            metadata["configuration"] = dict(sql(describe_detail(name))[0]["properties"])
        return replace(facts, clustering=json.loads(properties.get(CLUSTERING_PROPERTY, "[]")))
    except StatementError as error:
        if error.condition in ABSENT_ON_SPARK:
            return None
        return unreadable_by_session(name, error)
    except MALFORMED as error:
        return is_damaged(name, error)


def _other_kind(description: Description) -> str:
    """Return what an object is instead of a Delta table; ``""`` for a Delta table."""
    if description["Type"] == "VIEW":
        return "view"
    provider = description["Provider"].lower()
    return "" if provider == "delta" else f"{provider} table"


def _hidden(properties: Mapping[str, str], protocol: Mapping[str, Any]) -> str:
    """Return what a table may have that a session hides; ``""`` for nothing."""
    if may_generate_columns(protocol):
        return "generated or identity columns"
    return "clustering columns with a redacted name" if properties.get(CLUSTERING_PROPERTY) == _REDACTED else ""


def unreadable_by_session(name: QualifiedName, error: StatementError) -> Diagnostic:
    """Return the problem of a table that the session cannot read, whether it exists or not."""
    other = refused(name, error, "repair the session, or its permission to read the table")
    return refused_by_spark(name, str(error)) or other


def files_of(session: SessionReader, name: QualifiedName) -> LogFiles:
    """Return the files of the log of a table that exists."""
    location = Description(session.rows(describe_extended(name)), len(session.schema(name).fields))["Location"]
    if commits_are_in_catalog(row[0] for row in session.rows(show_properties(name))):
        fact = "keeps its newest commits in its catalog, and not in its log"
        raise CatalogReadError([problem(UnreadableTable, name, fact, "use a copy of it that is not managed")])
    return session.files(location) or SqlFiles(session.rows, location)


def _from_log(session: SessionReader, name: QualifiedName, location: str, hidden: str) -> LogFacts | Diagnostic:
    """Return what the log of a table holds that a session hides."""
    try:
        return DeltaLog(session.files(location) or SqlFiles(session.rows, location)).facts()
    except LogFault as fault:
        if isinstance(fault, DamagedLog):
            return fault.of(name)
        fact = f"has {hidden}, which this session hides, and {fault.message}"
        remedy = "read it through a classic session, or give this one permission to read its folder"
        return problem(UnreadableTable, name, fact, remedy)


_PARTITIONS, _DETAILS = "# Partition Information", "# Detailed Table Information"


class Description:
    """The parts of the output of DESCRIBE TABLE EXTENDED."""

    def __init__(self, rows: Sequence[Sequence[str]], columns: int) -> None:
        # A column may have the name of a heading, so the search begins behind the columns.
        names = [row[0] for row in rows[columns:]]
        details = names.index(_DETAILS)
        self._details = {row[0]: row[1] for row in rows[columns + details + 1 :]}
        partitions = names[names.index(_PARTITIONS) + 2 : details] if _PARTITIONS in names[:details] else []
        self.partitions = tuple(takewhile(bool, partitions))

    def __getitem__(self, key: str) -> str:
        return self._details.get(key, "")


_REDACTED = "*********(redacted)"
"""What Spark shows instead of a value of SHOW TBLPROPERTIES that may be a secret."""
