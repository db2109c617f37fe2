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
    from pytest_delta_schema.write_check.options import WriteOptions


def write(spark: SparkSession, schema: StructType, table: QualifiedName, path: Path, options: WriteOptions) -> None:
    """Write an empty frame to a table.

    The folder is for methods that write to a path. The option ``auto_merge`` is a setting of the session.
    """
    method, mode = options.method, options.mode
    flags = {"mergeSchema": options.merge_schema, "overwriteSchema": options.overwrite_schema}
    names = [name for name, is_set in flags.items() if is_set]
    if method == "write_stream":
        _stream(spark, schema, path, names)
        return
    frame = frame_of_rows(spark, [], schema)
    if method in {"save", "save_as_table", "insert_into"}:
        writer = _with(frame.write.format("delta"), names)
        if method == "save":
            writer.mode(mode).save(str(path))
        elif method == "save_as_table":
            writer.mode(mode).saveAsTable(dotted(table))
        else:
            writer.insertInto(dotted(table), overwrite=mode == "overwrite")
        return
    from pyspark.sql.functions import lit

    named = _with(frame.writeTo(dotted(table)), names)
    if mode == "append":
        named.append()
    else:
        named.overwrite(lit(True))  # noqa: FBT003 - the condition that is true for every row


def _stream(spark: SparkSession, schema: StructType, path: Path, names: Sequence[str]) -> None:
    """Stream one file without rows; a stream without a file would not check the table."""
    folder = Path(tempfile.mkdtemp())
    try:
        source = str(folder / "source")
        frame_of_rows(spark, [], schema).write.format("parquet").save(source)
        stream = spark.readStream.schema(schema).parquet(source).writeStream.format("delta")
        started = _with(stream, names).option("checkpointLocation", str(folder / "progress"))
        started.trigger(availableNow=True).start(str(path)).awaitTermination()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _with(writer: Any, names: Sequence[str]) -> Any:
    for name in names:
        writer = writer.option(name, "true")
    return writer
