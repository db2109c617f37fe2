"""Clone tables of the local backend."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.clone_refusal import cannot_clone, require_commits_in_log
from pytest_delta_schema.backends.local.logs.folder_clone import ChangingTableError, clone_folder, link_or_copy
from pytest_delta_schema.backends.local.logs.reader import located
from pytest_delta_schema.backends.local.warehouse.physical_names import table_folder
from pytest_delta_schema.backends.spark.session_settings import setting
from pytest_delta_schema.diagnostics.errors import first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.local.logs.folder_clone import NewIds
    from pytest_delta_schema.backends.local.session.bridge import Bridge
    from pytest_delta_schema.models.names import QualifiedName

_TIMES = "spark.sql.parquet.outputTimestampType"


def clone(bridge: Bridge, source: QualifiedName, target: QualifiedName) -> None:
    """Clone a table into the warehouse folder, where it is found by its name.

    Raises:
        CatalogReadError: If the table does not exist, or cannot be read.
        StatementError: If it cannot be cloned.
    """
    state, location = located(bridge, source)
    require_commits_in_log(state)
    if not location.startswith("/"):
        raise cannot_clone(source, f"its files are in {location}, and only those of a local folder are cloned")
    if not bridge.is_warehouse(target.catalog):
        fact = f"the catalog {target.catalog} is not one of the warehouse folder"
        raise cannot_clone(source, fact, "clone tables of catalogs that the session does not configure")
    try:
        clone_folder(Path(location), table_folder(bridge.warehouse, target), partial(_copy_checkpoint, bridge.spark))
    except ChangingTableError as error:
        fact = "other writers have changed it during each of 3 attempts"
        raise cannot_clone(source, fact, "clone it when they have ended") from error
    except FileNotFoundError as error:
        fact = f"a file of its log is not there ({first_line(error)})"
        raise cannot_clone(source, fact, "restore the log") from error
    except OSError as error:
        raise cannot_clone(source, first_line(error), "free space, or give the permission") from error


def _copy_checkpoint(spark: SparkSession, source: Path, target: Path, ids: NewIds) -> None:
    """Copy a checkpoint, or one of its parts, under another table id; without metadata it is linked."""
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
