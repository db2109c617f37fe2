"""Writes an empty frame to a table by every method that Spark has."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.compat.pyspark_compat import frame_of_rows
from pytest_delta_schema.sql.quoting import dotted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.write_check.method import WriteMethod, WriteMode


def write(  # noqa: PLR0913, PLR0917 - one write
    spark: SparkSession,
    schema: StructType,
    table: QualifiedName,
    path: Path,
    method: WriteMethod,
    mode: WriteMode,
    options: Sequence[str],
) -> None:
    """Write an empty frame to a table.

    Args:
        spark: The session.
        schema: The schema of the frame.
        table: The name of the table.
        path: The folder of the table, for methods that write to a path.
        method: The method that writes.
        mode: ``append`` or ``overwrite``.
        options: Options of the writer to set to true.
    """
    if method == "write_stream":
        _stream(spark, schema, path, options)
        return
    frame = frame_of_rows(spark, [], schema)
    if method in {"save", "save_as_table", "insert_into"}:
        writer = _with(frame.write.format("delta"), options)
        if method == "save":
            writer.mode(mode).save(str(path))
        elif method == "save_as_table":
            writer.mode(mode).saveAsTable(dotted(table))
        else:
            writer.insertInto(dotted(table), overwrite=mode == "overwrite")
        return
    from pyspark.sql.functions import lit

    named = _with(frame.writeTo(dotted(table)), options)
    if mode == "append":
        named.append()
    else:
        named.overwrite(lit(True))  # noqa: FBT003 - the condition that is true for every row


def _stream(spark: SparkSession, schema: StructType, path: Path, options: Sequence[str]) -> None:
    """Stream one file without rows; a stream without a file would not check the table."""
    folder = Path(tempfile.mkdtemp())
    try:
        source = str(folder / "source")
        frame_of_rows(spark, [], schema).write.format("parquet").save(source)
        stream = spark.readStream.schema(schema).parquet(source).writeStream.format("delta")
        started = _with(stream, options).option("checkpointLocation", str(folder / "progress"))
        started.trigger(availableNow=True).start(str(path)).awaitTermination()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _with(writer: Any, options: Sequence[str]) -> Any:
    for key in options:
        writer = writer.option(key, "true")
    return writer
