"""Finds out what Delta does with a write, in the catalog of a DataFrame's session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.catalog import LocalCatalog
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.write_check.options import DEFAULT_OPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.execute.protocols.write_probe import ProbesWrites
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.write_check.options import WriteOptions
    from pytest_delta_schema.write_check.statements.merge_options import Merge
    from pytest_delta_schema.write_check.verdict import WriteVerdict


def probe_write(
    table: Table | str,
    frame: DataFrame | StructType | None,
    options: WriteOptions | Merge = DEFAULT_OPTIONS,
    *,
    catalog: ProbesWrites | None = None,
) -> WriteVerdict:
    """Run a write on Delta with an empty frame of the same schema and an empty clone of the table.

    The table itself is only read, and the clone is dropped afterwards. It takes about half a second.

    Args:
        table: A model, as if its table had just been created; or the name of a table in ``catalog``.
        frame: A DataFrame, which is not computed, or its schema; ``None`` for a DELETE.
        options: How the frame is written, or a MERGE; by default it is appended with ``df.write.save(path)``.
        catalog: The catalog for the clone; by default the catalog of the DataFrame's session.

    Returns:
        A verdict like that of :func:`check_write`: whether the write is accepted, the schema after it and the error
        condition are Delta's; messages and remedies are those of :func:`check_write`.

    Raises:
        DeclarationError: If an argument has no possible meaning.
        CatalogReadError: If the table cannot be read, or does not exist.
        StatementError: If the clone cannot be created.
    """
    return (catalog or _catalog_of(frame)).probe_write(table, frame, options)


def _catalog_of(frame: Any) -> LocalCatalog:
    """Return the catalog in the warehouse of a frame's session."""
    spark = getattr(frame, "sparkSession", None)
    if spark is None:
        msg = "a schema alone belongs to no session; give catalog=..., such as the fixture delta_catalog"
        raise DeclarationError(msg)
    folder = str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")
    return LocalCatalog(spark, warehouse=Path(folder).parent)
