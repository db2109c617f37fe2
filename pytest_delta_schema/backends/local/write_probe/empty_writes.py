"""Writes an empty frame to a table by every method and statement that Spark has."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.write_probe.dml_statements import delete_sql, insert_sql, merge_sql, update_sql
from pytest_delta_schema.backends.spark.compat.pyspark_compat import frame_of_rows, spark_version
from pytest_delta_schema.backends.spark.session_settings import setting
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.write_check.options import WriteOptions
from pytest_delta_schema.write_check.statements.merge_options import Merge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from pytest_delta_schema.models.names import QualifiedName

AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"

_WITH_SCHEMA_EVOLUTION = (4, 1)
"""The first Spark whose MERGE has a ``WITH SCHEMA EVOLUTION`` that Delta follows; Spark 4.0 only parses it (4.0.5)."""


def write(
    spark: SparkSession, schema: StructType | None, table: QualifiedName, path: Path, options: WriteOptions | Merge
) -> None:
    """Write an empty frame to a table.

    The folder is for methods that write to a path. The option ``auto_merge`` is a setting of the session.
    """
    if schema is None:
        spark.sql(delete_sql(dotted(table)))
    elif isinstance(options, Merge) or options.method in {"sql_insert", "update"}:
        _run_statement(spark, schema, dotted(table), options)
    elif options.method == "write_stream":
        _stream(spark, schema, path, _options(options))
    else:
        write_frame(frame_of_rows(spark, [], schema), table, path, options)


def _run_statement(spark: SparkSession, schema: StructType, table: str, options: WriteOptions | Merge) -> None:
    """Run a statement whose source is a view without rows."""
    if isinstance(options, WriteOptions) and options.method == "update":
        spark.sql(update_sql(table, schema))
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

    method, mode, given = options.method, options.mode, _options(options)
    if method == "write_to":
        named = _with(frame.writeTo(dotted(table)), given)
        if mode == "append":
            named.append()
        elif options.dynamic_partitions:
            named.overwritePartitions()
        else:
            named.overwrite(expr(options.replace_where or "true"))
        return
    writer = _with(frame.write.format("delta"), given)
    if options.partition_by:
        writer = writer.partitionBy(*options.partition_by)
    if method == "save":
        writer.mode(mode).save(str(path))
    elif method == "save_as_table":
        writer.mode(mode).saveAsTable(dotted(table))
    else:
        writer.insertInto(dotted(table), overwrite=mode == "overwrite")


def _options(options: WriteOptions) -> dict[str, str]:
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
        started = _with(stream, given).option("checkpointLocation", str(folder / "progress"))
        started.trigger(availableNow=True).start(str(path)).awaitTermination()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _with(writer: Any, given: Mapping[str, str]) -> Any:
    for name, value in given.items():
        writer = writer.option(name, value)
    return writer
