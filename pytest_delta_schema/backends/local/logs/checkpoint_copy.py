"""Copy a checkpoint in parquet under another table id, by Spark."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.logs.folder_clone import link_or_copy
from pytest_delta_schema.backends.spark.session_settings import setting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.local.logs.folder_clone import NewIds

_TIMES = "spark.sql.parquet.outputTimestampType"


def copy_checkpoint(spark: SparkSession, source: Path, target: Path, ids: NewIds) -> None:
    """Copy a checkpoint, or one of its parts; without metadata it is linked."""
    from pyspark.sql import functions

    with TemporaryDirectory() as folder:
        # Spark does not read files of a Delta table as plain parquet.
        shutil.copyfile(source, Path(folder, "checkpoint.parquet"))
        actions = spark.read.parquet(str(Path(folder, "checkpoint.parquet")))
        metadata = functions.col("metaData")
        stored = actions.where(metadata.isNotNull()).select("metaData.id").collect()
        if not stored:
            link_or_copy(source, target)
            return
        renewed = functions.when(metadata.isNotNull(), metadata.withField("id", functions.lit(ids.of(stored[0][0]))))
        with setting(spark, _TIMES, "TIMESTAMP_MICROS"):
            actions.withColumn("metaData", renewed).coalesce(1).write.parquet(str(Path(folder, "copy")))
        (written,) = Path(folder, "copy").glob("part-*.parquet")
        shutil.copyfile(written, target)
