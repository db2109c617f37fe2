"""Probe on scratch tables what Delta does with a write."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
import uuid
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.compat import frame_of_rows, protocol_and_metadata, spark_version
from pytest_delta_schema.backends.spark.sessions import setting
from pytest_delta_schema.delta.char_varchar import without_lengths
from pytest_delta_schema.delta.names import ColumnPath, folded
from pytest_delta_schema.diagnostics.errors import DeclarationError, Diagnostic, StatementError, first_line
from pytest_delta_schema.models.names import QualifiedName, parse_name
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.quoting import condition, dotted, insert_sql, path_sql, type_sql
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.write_check.prediction import predict_write
from pytest_delta_schema.write_check.verdict import (
    CLAUSE_KINDS,
    DEFAULT_OPTIONS,
    Merge,
    WriteOptions,
    WriteVerdict,
    clause_action,
    clause_condition,
    clauses_of,
    require_options,
    takes_frame,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

    from pytest_delta_schema.backends.local.catalog import LocalCatalog
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.write_check.verdict import Action, ClauseKind


AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"

_BY_ROWS = (
    "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
    "DELTA_CANNOT_MODIFY_APPEND_ONLY",
    "DELTA_CANNOT_WRITE_EMPTY_SCHEMA.STRUCT_ALL_VOID_FIELDS",
)
"""Conditions that Delta raises for rows, by some methods, so an empty frame is accepted."""


def write_to_clone(
    catalog: LocalCatalog,
    table: Table | str,
    frame: DataFrame | StructType | None,
    options: WriteOptions | Merge | None,
) -> WriteVerdict:
    """Run a write in a catalog; for the arguments see :func:`probe_write`."""
    options = DEFAULT_OPTIONS if options is None else options
    require_options(options)
    schema = _schema_of(frame) if takes_frame(options, frame) else None
    auto_merge = isinstance(options, WriteOptions) and options.auto_merge
    with _empty_clone(table, catalog) as state:
        expected = predict_write(state, schema, options)
        try:
            with (
                catalog.bridge.translate_errors(),
                setting(catalog.spark, AUTO_MERGE, str(auto_merge).lower()),
            ):
                path = table_folder(catalog.warehouse, state.name)
                write(catalog.spark, schema, state.name, path, options)
        except StatementError as error:
            findings = _findings(error, expected)
        else:
            findings = tuple(finding for finding in expected.findings if finding.code in _BY_ROWS)
        after = catalog.read_tables([state.name]).tables[state.name].columns
    name = table.qualified_name if isinstance(table, Table) else folded(table)
    findings = tuple(replace(finding, table=name) for finding in findings)
    replaces = "" if findings else expected.replaces
    columns = state.columns if findings else after
    return WriteVerdict(table=name, accepted=not findings, columns=columns, findings=findings, replaces=replaces)


def _findings(error: StatementError, expected: WriteVerdict) -> tuple[Diagnostic, ...]:
    """Return the findings for an error of Delta: the predicted ones where they have its condition."""
    predicted = tuple(finding for finding in expected.findings if error.condition.startswith(finding.code))
    if predicted:
        return predicted
    remedy = "see Delta's message, and report that check_write does not predict it"
    return (
        Diagnostic(
            code=error.condition, rule="refused", table=expected.table, message=first_line(error), remedy=remedy
        ),
    )


@contextmanager
def _empty_clone(table: Table | str, catalog: LocalCatalog) -> Iterator[TableState]:
    """Create an empty table with the metadata of another table, and drop it at the end."""
    source = table.name if isinstance(table, Table) else parse_name(table)
    home = QualifiedName("scratch", f"probe_{uuid.uuid4().hex[:8]}", source.table)
    if not isinstance(table, Table):
        catalog.read_tables([source]).existing(source)
    catalog.create_schema(home.catalog, home.schema)
    try:
        if isinstance(table, Table):
            wanted = replace(desired_state(table), name=home, logical_name=home, foreign_keys=())
            for statement in statements(TablePlanner().creation(wanted, creates_schema=False)):
                catalog.run(statement)
        else:
            _copy_metadata(catalog, source, table_folder(catalog.warehouse, home))
        yield catalog.read_tables([home]).tables[home]
    finally:
        catalog.drop_schema(home.catalog, home.schema)


def _copy_metadata(catalog: LocalCatalog, source: QualifiedName, folder: Path) -> None:
    """Write the first commit of a table that has the metadata of another table and no rows."""
    with catalog.bridge.translate_errors():
        actions = protocol_and_metadata(catalog.bridge.gateway, source)
    now = int(time.time() * 1000)
    info = {"commitInfo": {"timestamp": now, "inCommitTimestamp": now, "operation": "CLONE", "operationParameters": {}}}
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    (log / f"{0:020}.json").write_text("\n".join([json.dumps(info), *actions]) + "\n", encoding="utf-8")


def _schema_of(frame: Any) -> StructType:
    from pyspark.sql.types import StructField, StructType

    schema = getattr(frame, "schema", frame)
    if not isinstance(schema, StructType):
        msg = f"what is written is {frame!r}; give a DataFrame or its schema, a StructType"
        raise DeclarationError(msg)
    fields = [StructField(f.name, without_lengths(f.dataType), f.nullable, f.metadata) for f in schema.fields]
    return StructType(fields)


_WITH_SCHEMA_EVOLUTION = (4, 1)
"""The first Spark whose MERGE has a ``WITH SCHEMA EVOLUTION`` that Delta follows; Spark 4.0 only parses it (4.0.5)."""


def write(
    spark: SparkSession, schema: StructType | None, table: QualifiedName, path: Path, options: WriteOptions | Merge
) -> None:
    """Write an empty frame to a table."""
    if schema is None:
        spark.sql(f"DELETE FROM {dotted(table)}")
    elif isinstance(options, Merge) or options.method in {"sql_insert", "update"}:
        _run_statement(spark, schema, dotted(table), options)
    elif options.method == "write_stream":
        _stream(spark, schema, path, _writer_options(options))
    else:
        write_frame(frame_of_rows(spark, [], schema), table, path, options)


def _run_statement(spark: SparkSession, schema: StructType, table: str, options: WriteOptions | Merge) -> None:
    """Run a statement whose source is a view without rows."""
    if isinstance(options, WriteOptions) and options.method == "update":
        nulls = _assignments((field.name, _null(field.dataType)) for field in schema.fields)
        spark.sql(f"UPDATE {table} SET {nulls}")
        return
    view = f"probe_{uuid.uuid4().hex[:8]}"
    frame_of_rows(spark, [], schema).createOrReplaceTempView(view)
    try:
        if isinstance(options, Merge):
            _merge(spark, table, view, options)
        else:
            mode = "dynamic" if options.dynamic_partitions else "static"
            with setting(spark, "spark.sql.sources.partitionOverwriteMode", mode):
                spark.sql(insert_sql(options, table, view))
    finally:
        spark.catalog.dropTempView(view)


def _merge(spark: SparkSession, table: str, view: str, merge: Merge) -> None:
    """Run a MERGE; where its SQL has no clause for it, a setting lets the schema evolve."""
    names_evolution = spark_version(spark) >= _WITH_SCHEMA_EVOLUTION
    evolves = merge.evolves and not names_evolution
    with setting(spark, AUTO_MERGE, "true") if evolves else nullcontext():
        spark.sql(merge_sql(merge, table, view, names_evolution=names_evolution))


def write_frame(frame: DataFrame, table: QualifiedName, path: Path, options: WriteOptions) -> None:
    """Write a frame by a method of its writer, other than a stream."""
    from pyspark.sql.functions import expr

    method, mode, given = options.method, options.mode, _writer_options(options)
    if method == "write_to":
        named = _with_options(frame.writeTo(dotted(table)), given)
        if mode == "append":
            named.append()
        elif options.dynamic_partitions:
            named.overwritePartitions()
        else:
            named.overwrite(expr(options.replace_where or "true"))
        return
    writer = _with_options(frame.write.format("delta"), given)
    if options.partition_by:
        writer = writer.partitionBy(*options.partition_by)
    if method == "save":
        writer.mode(mode).save(str(path))
    elif method == "save_as_table":
        writer.mode(mode).saveAsTable(dotted(table))
    else:
        writer.insertInto(dotted(table), overwrite=mode == "overwrite")


def _writer_options(options: WriteOptions) -> dict[str, str]:
    """Return the options of a writer that are set."""
    flags = {"mergeSchema": options.merge_schema, "overwriteSchema": options.overwrite_schema}
    given = {name: "true" for name, is_set in flags.items() if is_set}
    if options.replace_where is not None and options.method != "write_to":
        given["replaceWhere"] = options.replace_where
    if options.dynamic_partitions and options.method != "write_to":
        given["partitionOverwriteMode"] = "dynamic"
    return given


def _stream(spark: SparkSession, schema: StructType, path: Path, given: Mapping[str, str]) -> None:
    """Stream one file without rows; a stream without a file would not check the table."""
    folder = Path(tempfile.mkdtemp())
    try:
        source = str(folder / "source")
        frame_of_rows(spark, [], schema).write.format("parquet").save(source)
        stream = spark.readStream.schema(schema).parquet(source).writeStream.format("delta")
        started = _with_options(stream, given).option("checkpointLocation", str(folder / "progress"))
        started.trigger(availableNow=True).start(str(path)).awaitTermination()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _with_options(writer: Any, given: Mapping[str, str]) -> Any:
    for name, value in given.items():
        writer = writer.option(name, value)
    return writer


_WHEN: dict[ClauseKind, str] = {
    "matched": "MATCHED",
    "not_matched": "NOT MATCHED",
    "not_matched_by_source": "NOT MATCHED BY SOURCE",
}


def merge_sql(merge: Merge, table: str, source: str, *, names_evolution: bool = True) -> str:
    """Render a MERGE whose source is a view; without ``names_evolution`` a setting lets the schema evolve."""
    evolution = "WITH SCHEMA EVOLUTION " if merge.evolves and names_evolution else ""
    return "\n".join([f"MERGE {evolution}INTO {table} AS target USING {source} AS source ON true", *_clauses(merge)])


def _clauses(merge: Merge) -> Iterator[str]:
    for kind in CLAUSE_KINDS:
        for clause in clauses_of(merge, kind):
            text = clause_condition(clause)
            extra = "" if text is None else f" AND {condition(text)}"
            yield f"WHEN {_WHEN[kind]}{extra} THEN {_action(kind, clause_action(clause))}"


def _action(kind: ClauseKind, action: Action) -> str:
    inserts = kind == "not_matched"
    if isinstance(action, str):
        return "DELETE" if action == "delete" else "INSERT *" if inserts else "UPDATE SET *"
    values = [(target, _value(value)) for target, value in action.items()]
    if not inserts:
        return f"UPDATE SET {_assignments(values)}"
    targets = ", ".join(_path(target) for target, _ in values)
    return f"INSERT ({targets}) VALUES ({', '.join(value for _, value in values)})"


def _assignments(values: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{_path(target)} = {value}" for target, value in values)


def _value(value: str | DataType) -> str:
    return f"source.{_path(value)}" if isinstance(value, str) else _null(value)


def _null(data_type: DataType) -> str:
    stored = canonical_type(data_type)
    return "NULL" if stored == "void" else f"CAST(NULL AS {type_sql(stored)})"


def _path(text: str) -> str:
    return path_sql(ColumnPath.parse(text))
