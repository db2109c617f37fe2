"""Finds out what Delta does with a write, in the catalog of a DataFrame's session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.catalog import LocalCatalog
from pytest_delta_schema.diagnostics.errors import DeclarationError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.execute.write_probe import ProbesWrites
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.write_check.method import WriteMethod, WriteMode
    from pytest_delta_schema.write_check.verdict import WriteVerdict


def probe_write(  # noqa: PLR0913, PLR0917 - the settings of a writer
    df_or_schema: DataFrame | StructType,
    table: Table | str,
    method: WriteMethod = "save",
    mode: WriteMode = "append",
    merge_schema: bool = False,  # noqa: FBT001, FBT002 - named as the option
    overwrite_schema: bool = False,  # noqa: FBT001, FBT002 - likewise
    auto_merge: bool = False,  # noqa: FBT001, FBT002 - likewise
    *,
    catalog: ProbesWrites | None = None,
) -> WriteVerdict:
    """Run a write on Delta with an empty frame of the same schema and an empty clone of the table.

    The table itself is only read, and the clone is dropped afterwards. It takes about half a second.

    Args:
        df_or_schema: The frame: a DataFrame, which is not computed, or its schema.
        table: A model, as if its table had just been created; or the name of a table in ``catalog``.
        method: The method that writes; see :func:`check_write`.
        mode: ``append`` or ``overwrite``.
        merge_schema: The writer's option ``mergeSchema``.
        overwrite_schema: The writer's option ``overwriteSchema``.
        auto_merge: The session's setting ``spark.databricks.delta.schema.autoMerge.enabled``.
        catalog: The catalog for the clone; by default the catalog of the DataFrame's session.

    Returns:
        A verdict like that of :func:`check_write`: whether the write is accepted, the schema after it and the error
        condition are Delta's; messages and remedies are those of :func:`check_write`.

    Raises:
        DeclarationError: If an argument has no possible meaning.
        CatalogReadError: If the table cannot be read, or does not exist.
        StatementError: If the clone cannot be created.
    """
    catalog = catalog or _catalog_of(df_or_schema)
    return catalog.probe_write(df_or_schema, table, method, mode, merge_schema, overwrite_schema, auto_merge)


def _catalog_of(df_or_schema: Any) -> LocalCatalog:
    """Return the catalog in the warehouse of a frame's session."""
    spark = getattr(df_or_schema, "sparkSession", None)
    if spark is None:
        msg = "a schema alone belongs to no session; give catalog=..., such as the fixture delta_catalog"
        raise DeclarationError(msg)
    folder = str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")
    return LocalCatalog(spark, Path(folder).parent)
