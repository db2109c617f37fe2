"""The port to catalogs that can try a write on an empty clone of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.write_check.method import WriteMethod, WriteMode
    from pytest_delta_schema.write_check.verdict import WriteVerdict


@runtime_checkable
class ProbesWrites(Protocol):
    """A catalog that can try a write; the fixture ``delta_probe`` uses it."""

    def probe_write(  # noqa: PLR0913, PLR0917 - the settings of a writer
        self,
        df_or_schema: DataFrame | StructType,
        table: Table | str,
        method: WriteMethod = "save",
        mode: WriteMode = "append",
        merge_schema: bool = False,  # noqa: FBT001, FBT002 - named as the option
        overwrite_schema: bool = False,  # noqa: FBT001, FBT002 - likewise
        auto_merge: bool = False,  # noqa: FBT001, FBT002 - likewise
    ) -> WriteVerdict:
        """Run a write with an empty frame of the same schema and an empty clone of the table.

        The table itself is only read.

        Args:
            df_or_schema: The frame: a DataFrame, which is not computed, or its schema.
            table: A model, as if its table had just been created; or the name of a table in this catalog.
            method: The method that writes; see ``check_write``.
            mode: ``append`` or ``overwrite``.
            merge_schema: The writer's option ``mergeSchema``.
            overwrite_schema: The writer's option ``overwriteSchema``.
            auto_merge: The session's setting ``spark.databricks.delta.schema.autoMerge.enabled``.

        Returns:
            What happened: whether the write was accepted, why not, and the schema of the table after it.

        Raises:
            DeclarationError: If an argument has no possible meaning.
            CatalogReadError: If the table cannot be read, or does not exist.
            StatementError: If the clone cannot be created.
        """
        ...
