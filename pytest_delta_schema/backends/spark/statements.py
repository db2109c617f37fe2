"""Run statements on open-source Delta, by SQL, emulated or in a transaction, and write rows."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import groupby, starmap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pytest_delta_schema.backends.row_values import Clock, converted_rows, rows_of_spark
from pytest_delta_schema.backends.spark.compat import Transaction, frame_of_rows, java_frame, labelled, operation
from pytest_delta_schema.backends.spark.sessions import SUBSTITUTE, TIME_ZONE, as_written, settings
from pytest_delta_schema.backends.spark.versions import BY_COMMIT
from pytest_delta_schema.delta.fields import physical_path
from pytest_delta_schema.delta.names import ELEMENT, KEY, TABLE, VALUE, ColumnPath, NameMap, NameSet, folded
from pytest_delta_schema.delta.properties import CHECK_PREFIX, is_open_source
from pytest_delta_schema.delta.protocol import CLUSTERED, CLUSTERING_DOMAIN, may_be_clustered
from pytest_delta_schema.diagnostics.errors import StatementError, UnsafePlanError, first_line
from pytest_delta_schema.diagnostics.text import escaped, identifier
from pytest_delta_schema.execute.preflight import violations_of
from pytest_delta_schema.execute.protocols import Capabilities, RowCounts
from pytest_delta_schema.models.spark_types import nullable_struct
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import (
    CheckAdd,
    CheckDrop,
    ClusteringChange,
    ColumnNullabilityChange,
    ColumnRename,
    LayoutRewrite,
    SetTableProperties,
    SetTags,
    UnsetTableProperties,
    UnsetTags,
)
from pytest_delta_schema.plan.data_checks import NotNull
from pytest_delta_schema.plan.kinds import KeyAdd, KeyDrop
from pytest_delta_schema.progress import step
from pytest_delta_schema.sql.compiler import rendered, statements, statements_per_column
from pytest_delta_schema.sql.data_check_queries import (
    Fingerprint,
    difference,
    exists_violation,
    fingerprint_query,
    select_rows,
)
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.renderers import select_all, texts_without_zone
from pytest_delta_schema.sql.statement import TOGETHER, Statement, StatementKind
from pytest_delta_schema.state.delta_log import columns_of_schema, emulated_property, tag_property
from pytest_delta_schema.state.keys import key_property
from pytest_delta_schema.state.states import CheckState
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from pytest_delta_schema.backends.rows import DataQueries
    from pytest_delta_schema.backends.spark.compat import Gateway
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


class DeltaStatements:
    """Runs statements on open-source Delta.

    Without a gateway, as over Spark Connect, statements need SQL. ``capabilities`` returns what the session can run; it
    is called when that is first needed. ``by_commit`` are kinds of statements that a metadata transaction does, because
    the session has no SQL for them.
    """

    def __init__(
        self,
        sql: Callable[[str], Any],
        queries: Callable[[QualifiedName], DataQueries],
        gateway: Gateway | None,
        capabilities: Callable[[], Capabilities],
        by_commit: frozenset[StatementKind] = BY_COMMIT,
    ) -> None:
        self._capabilities = capabilities
        self._by_commit = by_commit
        self._sql = sql
        self._queries = queries
        self._gateway = gateway

    def run(self, statement: Statement) -> None:
        """Run one statement, or emulate it."""
        if statement.kind is StatementKind.CREATE_TABLE:
            self._create(statement)
        elif self._gateway is not None and statement.kind in self._by_commit:
            self._commit(self._gateway, statement)
        elif statement.kind in TOGETHER and statement.kind in self._capabilities().splits:
            for single in statements_per_column(statement):
                self._sql(single.sql)
        else:
            self._run_on_delta(statement)

    def _commit(self, gateway: Gateway, statement: Statement) -> None:
        """Do in one metadata transaction what open-source Delta has no exact SQL for."""
        table, count = statement.table, self._queries(statement.table).count_at
        paths = [change.path for change in statement.changes if isinstance(change, ColumnNullabilityChange)]
        if paths:
            set_not_null(gateway, table, paths, count)
        renames = {change.path: change.to for change in statement.changes if isinstance(change, ColumnRename)}
        if renames:
            rename_columns_in_transaction(gateway, table, renames)
        for change in statement.changes:
            if isinstance(change, CheckAdd):
                add_check_in_transaction(gateway, table, CheckState(change.name, change.expression), count)
            elif isinstance(change, LayoutRewrite):
                rewrite_table_layout(gateway, table, change)

    def _create(self, statement: Statement) -> None:
        for change in statement.changes:
            if isinstance(change, CreateTable):
                self._require_conditions(change)
        self._run_on_delta(statement)

    def _run_on_delta(self, statement: Statement) -> None:
        for emulated in on_delta(statement, self._emulates_property):
            self._sql(emulated.sql)

    def _emulates_property(self, key: str, value: str | None) -> bool:
        return self._capabilities().emulates_property(key, value)

    def _require_conditions(self, action: CreateTable) -> None:
        """Require Spark to accept the checks of a new table, without a job; Delta stores any text as a property."""
        for check in action.checks:
            try:
                self._sql(exists_violation(action.columns, check.expression))
            except Exception as error:
                subject = f"{action.table}: check {check.name} ({check.expression})"
                msg = f"{subject} is refused by Spark: {first_line(error)}; correct it"
                raise StatementError(msg) from error


def on_delta(statement: Statement, emulates_property: Callable[[str, str | None], bool]) -> tuple[Statement, ...]:
    """Return the statements with which open-source Delta does the same; each is one commit."""
    if statement.kind is StatementKind.CREATE_TABLE:
        return tuple(_created(statement, emulates_property))
    emulated = tuple(
        replacement for change in statement.changes for replacement in _emulated(statement, change, emulates_property)
    )
    return emulated or (statement,)


def _emulated(
    statement: Statement, change: Any, emulates_property: Callable[[str, str | None], bool]
) -> Iterator[Statement]:
    match change:
        case KeyAdd():
            yield from _set(statement, key_property(change.key))
        case KeyDrop():
            yield from _unset(statement, *key_property(change.key))
        case SetTags():
            yield from _set(statement, {tag_property(change.path, key): value for key, value in change.tags.items()})
        case UnsetTags():
            yield from _unset(statement, *(tag_property(change.path, key) for key in change.keys))
        case SetTableProperties() if any(starmap(emulates_property, change.properties.items())):
            yield from _set(statement, _stored(change.properties, emulates_property))
            # Of a key that Delta knows, the table may have a value, which would be the one that is shown.
            replaced = [
                key for key, value in change.properties.items() if is_open_source(key) and emulates_property(key, value)
            ]
            if replaced:
                yield from _unset(statement, *replaced)
        case UnsetTableProperties() if any(emulates_property(key, None) for key in change.keys):
            # Databricks may have written the key itself.
            emulated = (emulated_property(key) for key in change.keys if emulates_property(key, None))
            yield from _unset(statement, *change.keys, *emulated)
        case CheckDrop() if change.name != folded(change.name):
            # Delta finds constraints by lower-case names only; the property of any other is removed directly.
            yield from _unset(statement, f"{CHECK_PREFIX}{change.name}")


def _created(statement: Statement, emulates_property: Callable[[str, str | None], bool]) -> Iterator[Statement]:
    """Create a table in one statement; where Delta would misplace CLUSTER BY, cluster the table in a second one."""
    for change in statement.changes:
        if not isinstance(change, CreateTable):
            yield statement
            continue
        action = change
        if any(starmap(emulates_property, change.table_properties.items())):
            properties = _stored(change.table_properties, emulates_property)
            action = replace(action, table_properties=MappingProxyType(properties))
        if change.clustering and _is_misplaced(statement.sql):
            action = replace(action, clustering=())
        yield statement if action is change else _creation(action)
        if action.clustering != change.clustering:
            yield from rendered(statement.table, ClusteringChange(before=(), after=change.clustering))


def _creation(action: CreateTable) -> Statement:
    parts = statements(replace(action, creates_schema=False))
    return next(part for part in parts if part.kind is StatementKind.CREATE_TABLE)


def _stored(properties: Mapping[str, str], emulates_property: Callable[[str, str | None], bool]) -> dict[str, str]:
    """Return properties under the keys by which this Delta stores them."""
    return {
        emulated_property(key) if emulates_property(key, value) else key: value for key, value in properties.items()
    }


def _is_misplaced(sql: str) -> bool:
    """Whether Delta would cut a CLUSTER BY out of a CREATE TABLE at the wrong position.

    It finds the position in code points and cuts in UTF-16 units: each character beyond U+FFFF shifts the cut by one
    (Delta 4.4.0).
    """
    return any(character > "\uffff" for character in sql[: sql.index("\nCLUSTER BY")])


def _set(statement: Statement, properties: dict[str, str]) -> Iterator[Statement]:
    return rendered(statement.table, SetTableProperties(properties=properties))


def _unset(statement: Statement, *keys: str) -> Iterator[Statement]:
    return rendered(statement.table, UnsetTableProperties(keys=keys))


Count = Callable[[Sequence["DataCheck"], int], "RowCounts"]
"""Counts the rows that violate data checks, in a given version."""


def set_not_null(gateway: Gateway, name: QualifiedName, paths: Sequence[ColumnPath], count: Count) -> None:
    """Make columns and fields of structs NOT NULL, if no row holds NULL in them."""
    data_checks = [NotNull(path) for path in paths]

    def forbid(metadata: dict[str, Any]) -> None:
        schema = json.loads(metadata["schemaString"])
        _forbid_null(schema, frozenset(paths))
        metadata["schemaString"] = json.dumps(schema)

    _edit_metadata(gateway, name, partial(count, data_checks), data_checks, forbid, labelled(gateway, "SET NOT NULL"))


def add_check_in_transaction(gateway: Gateway, name: QualifiedName, check: CheckState, count: Count) -> None:
    """Add a CHECK constraint with exactly the given text, if every row meets it.

    Delta's ADD CONSTRAINT joins the tokens of the text with spaces: it refuses ``a::int`` and lambdas, and stores
    ``'it''s'`` as ``'it' 's'``, which means something else (Delta 4.4.0).
    """
    key = f"{CHECK_PREFIX}{folded(check.name)}"

    def put(metadata: dict[str, Any]) -> None:
        if key in NameSet(metadata["configuration"]):
            msg = f"{name}: there is a check {check.name} already; read the table again and make a new plan"
            raise StatementError(msg, condition="DELTA_CONSTRAINT_ALREADY_EXISTS")
        metadata["configuration"][key] = check.expression

    label = operation(gateway, "AddConstraint", folded(check.name), check.expression)
    _edit_metadata(gateway, name, partial(count, [check]), [check], put, label)


def rename_columns_in_transaction(gateway: Gateway, name: QualifiedName, names: Mapping[ColumnPath, str]) -> None:
    """Rename columns and fields of a table with column mapping, where its catalog refuses RENAME COLUMN."""

    def rename(metadata: dict[str, Any]) -> None:
        schema = json.loads(metadata["schemaString"])
        _rename_fields(schema, names)
        metadata["schemaString"] = json.dumps(schema)
        metadata["partitionColumns"] = [
            names.get(ColumnPath(column), column) for column in metadata["partitionColumns"]
        ]

    nothing = RowCounts(rows=None)
    _edit_metadata(gateway, name, lambda _: nothing, (), rename, labelled(gateway, "RENAME COLUMN"))


def _edit_metadata(  # noqa: PLR0913, PLR0917 - the parts of one transaction
    gateway: Gateway,
    name: QualifiedName,
    count: Callable[[int], RowCounts],
    data_checks: Sequence[DataCheck],
    edit: Callable[[dict[str, Any]], None],
    label: Any,
) -> None:
    """Edit a table's metadata if its rows pass the data checks, and none is appended in the meantime."""
    transaction = Transaction(gateway, name)
    violations = tuple(violations_of(name, data_checks, count(transaction.version)))
    if violations:
        raise UnsafePlanError(violations)
    action = transaction.metadata()
    edit(action["metaData"])
    transaction.update_metadata(action)
    transaction.commit(label)


def _forbid_null(struct: dict[str, Any], paths: frozenset[ColumnPath], above: ColumnPath = TABLE) -> None:
    for field in struct["fields"]:
        here = above.child(field["name"])
        if here in paths:
            field["nullable"] = False
        if isinstance(field["type"], dict) and field["type"]["type"] == "struct":
            _forbid_null(field["type"], paths, here)


def _rename_fields(data_type: Any, names: Mapping[ColumnPath, str], above: ColumnPath = TABLE) -> None:
    """Rename fields in a type of Delta's JSON, at any depth, and keep everything else about them."""
    if not isinstance(data_type, dict):
        return
    for field in data_type.get("fields", ()):
        here = above.child(field["name"])
        field["name"] = names.get(here, field["name"])
        _rename_fields(field["type"], names, here)
    for part, name in (("elementType", ELEMENT), ("keyType", KEY), ("valueType", VALUE)):
        _rename_fields(data_type.get(part), names, above.child(name))


def table_fingerprint(
    spark: SparkSession, relation: str, columns: Sequence[ColumnState], zone: str = "UTC"
) -> Fingerprint:
    """Compute the fingerprint of a relation in one scan."""
    with settings(spark, {TIME_ZONE: zone, SUBSTITUTE: "false"}):
        (row,) = spark.sql(fingerprint_query(relation, columns)).collect()
    return Fingerprint.of(tuple(row))


@contextmanager
def relation_of(spark: SparkSession, frame: Any) -> Iterator[str]:
    """Register a ``Dataset`` of the JVM as a temporary view inside the block, and yield its quoted name."""
    view = f"pytest_delta_schema_{uuid4().hex}"
    frame.createOrReplaceTempView(view)
    try:
        yield identifier(view)
    finally:
        spark.catalog.dropTempView(view)


def rewrite_table_layout(gateway: Gateway, name: QualifiedName, change: LayoutRewrite) -> None:
    """Write all rows of a table again in another layout, if that changes no value."""
    spark = gateway.spark
    transaction = Transaction(gateway, name)
    metadata = transaction.metadata()
    columns = columns_of_schema(json.loads(metadata["metaData"]["schemaString"]))
    paths = [physical_path(metadata["metaData"], path) for path in change.clustering]
    was_clustered = may_be_clustered(transaction.protocol()["protocol"])
    reading = _zone_of_reading(spark, transaction, metadata["metaData"], columns)
    transaction.update_metadata(_laid_out(metadata, change))
    source = select_rows(name, version=transaction.version)
    with step(escaped(f"{name}: reading all rows before the rewrite")):
        before = table_fingerprint(spark, source, columns, reading)
    zoned = {TIME_ZONE: reading, UTC_PARTITION_VALUES: "true"} if _names_instants(change, columns) else {}
    with settings(spark, {SUBSTITUTE: "false", **zoned}), step(escaped(f"{name}: writing all rows in the new layout")):
        written = transaction.write(java_frame(spark.sql(select_all(source))))
    with (
        relation_of(spark, written.rows()) as relation,
        step(escaped(f"{name}: reading back the rows that were written")),
    ):
        after = table_fingerprint(spark, relation, columns, reading)
    changed = difference(columns, before, after)
    if changed:
        written.remove()
        msg = f"{name}: the rewrite would change data: {changed}; nothing was changed, keep the layout and report this"
        raise StatementError(msg)
    added = written.actions()
    for action in added:
        action["add"]["dataChange"] = False
    domains = [_domain(paths)] if paths or was_clustered else []
    removals = transaction.removals(int(time.time() * 1000))
    transaction.commit(labelled(gateway, "REPLACE LAYOUT"), [*added, *domains], removals)


def _laid_out(metadata: dict[str, Any], change: LayoutRewrite) -> dict[str, Any]:
    inner = metadata["metaData"]
    configuration = {**inner["configuration"], **(CLUSTERED if change.clustering else {})}
    return {"metaData": {**inner, "partitionColumns": list(change.partitioning), "configuration": configuration}}


def _domain(paths: list[list[str]]) -> dict[str, Any]:
    configuration = json.dumps({"clusteringColumns": paths, "domainName": CLUSTERING_DOMAIN})
    return {"domainMetadata": {"domain": CLUSTERING_DOMAIN, "configuration": configuration, "removed": False}}


def _names_instants(change: LayoutRewrite, columns: Sequence[ColumnState]) -> bool:
    """Whether rows are written in UTC: timestamps are partition columns, and nothing else depends on a time zone.

    Spark names the folder of a timestamp by its local time, which is ambiguous when clocks are set back. Generated
    columns are computed again and may depend on the session's zone; the fingerprint finds timestamps that change then.
    """
    generates = any(column.value is not None and column.value.generated is not None for column in columns)
    return bool(_timestamps(change.partitioning, columns)) and not generates


def _timestamps(names: Iterable[str], columns: Sequence[ColumnState]) -> list[str]:
    """Return those of some columns that hold instants."""
    stored = [(name, find(columns, (name,))) for name in names]
    return [name for name, column in stored if column is not None and column.data_type == "timestamp"]


def _zone_of_reading(
    spark: SparkSession, transaction: Transaction, metadata: dict[str, Any], columns: Sequence[ColumnState]
) -> str:
    """Return the time zone in which the partition values of a table are read: UTC, if it makes no difference.

    Delta before 3.2, or with a setting, wrote timestamps of partitions without a zone; readers use the zone of their
    session for them.
    """
    zone = str(spark.conf.get(TIME_ZONE))
    timestamps = _timestamps(metadata["partitionColumns"], columns)
    if not timestamps or zone == "UTC":
        return "UTC"
    texts = [physical_path(metadata, ColumnPath(name))[0] for name in timestamps]
    return zone if transaction.files_match(texts_without_zone(texts)) else "UTC"


def table_rows(sql: Callable[[str], Any], table: QualifiedName, version: int | None) -> list[dict[str, Any]]:
    """Return all rows of a table; timestamps have a time zone."""
    return rows_of_spark(sql(select_all(select_rows(table, version=version))))


def session_clock(spark: SparkSession) -> Clock:
    """Return the clock that reads datetimes without a time zone as a session does."""
    return Clock(spark.conf.get(TIME_ZONE) or "", in_utc=True)


def stored_rows(spark: SparkSession, state: TableState, rows: Any) -> list[dict[str, Any]]:
    """Return rows as a table would return them after an insert."""
    return converted_rows(state, rows, session_clock(spark))


def insert_rows(spark: SparkSession, state: TableState, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append rows; the table fills columns that a row leaves out."""
    instants = _instants_in_partitions(state)
    has_expressions = bool(state.checks or any(column.value is not None for column in state.columns))
    # Expressions depend on the session's time zone, so only a table without them is written in UTC.
    keeps_zone = bool(instants) and has_expressions
    converted = converted_rows(state, rows, session_clock(spark), unique=instants if keeps_zone else ())
    filled = NameSet.of(column for column in state.columns if column.value is not None)
    stored = schema_of(spark, state.name)
    utc = {UTC_PARTITION_VALUES: "true", TIME_ZONE: "UTC"} if instants and not keeps_zone else {}
    with settings(spark, utc), step(escaped(f"{state.name}: writing rows")):
        for given, alike in _grouped(converted, filled):
            fields = [field for field in stored if folded(field.name) not in filled - given]
            tuples = [tuple(row.get(folded(field.name)) for field in fields) for row in alike]
            _append(spark, state.name, type(stored)(fields), tuples)


def append_rows(spark: SparkSession, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append rows as they are, so only the table refuses them; see :class:`AppendsRows`."""
    by_name = [NameMap(row.items()) for row in rows]
    stored = schema_of(spark, table)
    fields = [field for field in stored if field.name in by_name[0]]
    with step(escaped(f"{table}: writing rows")):
        _append(spark, table, type(stored)(fields), [tuple(row[field.name] for field in fields) for row in by_name])


def schema_of(spark: SparkSession, table: QualifiedName) -> StructType:
    """Return the schema of a table as Spark shows it."""
    with as_written(spark, dotted(table)):
        return spark.table(dotted(table)).schema


def _append(spark: SparkSession, table: QualifiedName, schema: StructType, rows: Sequence[tuple[Any, ...]]) -> None:
    frame = frame_of_rows(spark, rows, nullable_struct(schema))
    # Without the format, Spark refuses a table that is not of the session's default one.
    with as_written(spark, dotted(table)):
        frame.write.format("delta").mode("append").saveAsTable(dotted(table))


def _instants_in_partitions(state: TableState) -> tuple[str, ...]:
    """Return the timestamp columns of the partitioning, whose values are written as local times (Delta 4.4.0)."""
    names = NameSet(state.partitioning)
    columns = [column for column in state.columns if column.name in names]
    return tuple(column.name for column in columns if column.data_type == "timestamp")


def _grouped(
    rows: Sequence[Mapping[str, Any]], filled: frozenset[str]
) -> Iterator[tuple[frozenset[str], list[Mapping[str, Any]]]]:
    """Group neighbouring rows that have values for the same columns among those that the table can fill."""
    for given, alike in groupby(rows, key=lambda row: filled & row.keys()):
        yield given, list(alike)


UTC_PARTITION_VALUES = "spark.databricks.delta.write.utcTimestampPartitionValues"
"""Whether partition values of timestamps are written in UTC instead of the session's time zone (Delta 4.4.0)."""
