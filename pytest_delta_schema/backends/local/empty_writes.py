"""Writes of an empty frame, by every call that Spark has for it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.write_check.method import APPEND, INSERT_INTO, OVERWRITE, SAVE, SAVE_AS_TABLE, WRITE_STREAM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from pytest_delta_schema.models.names import QualifiedName


def write(  # noqa: PLR0913, PLR0917 - one write
    spark: SparkSession,
    schema: StructType,
    table: QualifiedName,
    path: Path,
    via: str,
    mode: str,
    options: Sequence[str],
) -> None:
    """Write an empty frame to a table.

    Args:
        spark: The session.
        schema: Of the frame.
        table: Where, by name.
        path: Where, by path.
        via: The call.
        mode: ``append`` or ``overwrite``.
        options: Options of the writer that are switched on.
    """
    if via == WRITE_STREAM:
        _stream(spark, schema, path, options)
        return
    frame = spark.createDataFrame([], schema)
    if via in {SAVE, SAVE_AS_TABLE, INSERT_INTO}:
        writer = _with(frame.write.format("delta"), options)
        if via == SAVE:
            writer.mode(mode).save(str(path))
        elif via == SAVE_AS_TABLE:
            writer.mode(mode).saveAsTable(dotted(table))
        else:
            writer.insertInto(dotted(table), overwrite=mode == OVERWRITE)
        return
    from pyspark.sql.functions import lit

    named = _with(frame.writeTo(dotted(table)), options)
    if mode == APPEND:
        named.append()
    else:
        named.overwrite(lit(True))  # noqa: FBT003 - the condition that every row meets


def _stream(spark: SparkSession, schema: StructType, path: Path, options: Sequence[str]) -> None:
    """Stream one file without rows; a stream without a file would never look at the table."""
    folder = Path(tempfile.mkdtemp())
    try:
        source = str(folder / "source")
        spark.createDataFrame([], schema).write.format("parquet").save(source)
        stream = spark.readStream.schema(schema).parquet(source).writeStream.format("delta")
        started = _with(stream, options).option("checkpointLocation", str(folder / "progress"))
        started.trigger(availableNow=True).start(str(path)).awaitTermination()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _with(writer: Any, options: Sequence[str]) -> Any:
    for key in options:
        writer = writer.option(key, "true")
    return writer
