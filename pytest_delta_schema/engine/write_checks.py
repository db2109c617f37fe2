"""Predict what Delta does with a write to a table of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.engine.declarations import declared
from pytest_delta_schema.engine.orchestrator import settings_or_current
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.write_check.prediction import predict_write
from pytest_delta_schema.write_check.verdict import DEFAULT_OPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.state.states import CatalogReader, TableState
    from pytest_delta_schema.write_check.verdict import Merge, WriteOptions, WriteVerdict


def check_write(  # noqa: PLR0913 - the write, and what it is judged by
    table: Table | TableState | str,
    frame: DataFrame | StructType | None,
    options: WriteOptions | Merge = DEFAULT_OPTIONS,
    *,
    catalog: CatalogReader | None = None,
    version: tuple[int, int] = NEWEST,
    settings: Settings | None = None,
) -> WriteVerdict:
    """Predict what Delta does with a write, without a JVM: whether it accepts it, and the schema of the table after it.

    The prediction is about schemas, under Spark's default settings: it does not see values that cannot be cast, are
    NULL or violate a check. It is tested against Delta 4.4.0 with Spark 4.2.0 for every combination of options;
    for older versions the source is their code. Statements follow Delta 4.4.0 for all versions.

    Args:
        table: The table: a model, as if it had just been created; an observed state; or the name of a table in
            ``catalog``.
        frame: A DataFrame, also a streaming one, or its schema; ``None`` for a DELETE.
        options: How the frame is written, or a MERGE of it; by default it is appended with ``df.write.save(path)``.
        catalog: Where a table is read that is given by name.
        version: Delta's version, major and minor.
        settings: Of the project, whose default properties a model has; by default the settings in force.

    Returns:
        The verdict; its findings are in the order in which Delta checks them.

    Raises:
        DeclarationError: If an argument has no possible meaning.
        CatalogReadError: If the table cannot be read, or does not exist.
    """
    return predict_write(written_table(table, settings), frame, options, catalog=catalog, version=version)


def written_table(table: Table | TableState | str, settings: Settings | None = None) -> Table | TableState | str:
    """Return a model with the default properties of the project; anything but a table is returned unchanged."""
    if not isinstance(table, Table):
        return table
    return declared(table, settings_or_current(settings, "check_write"))
