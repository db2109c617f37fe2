"""The port to catalogs that can try a write on an empty clone of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_delta_schema.write_check.options import DEFAULT_OPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.write_check.options import WriteOptions
    from pytest_delta_schema.write_check.statements.merge_options import Merge
    from pytest_delta_schema.write_check.verdict import WriteVerdict


@runtime_checkable
class ProbesWrites(Protocol):
    """A catalog that can try a write; the fixture ``delta_probe`` uses it."""

    def probe_write(
        self,
        table: Table | str,
        frame: DataFrame | StructType | None,
        options: WriteOptions | Merge = DEFAULT_OPTIONS,
    ) -> WriteVerdict:
        """Run a write with an empty frame of the same schema and an empty clone of the table.

        The table itself is only read.

        Args:
            table: A model, as if its table had just been created; or the name of a table in this catalog.
            frame: A DataFrame, which is not computed, or its schema; ``None`` for a DELETE.
            options: How the frame is written, or a MERGE; by default it is appended with ``df.write.save(path)``.

        Returns:
            What happened: whether the write was accepted, why not, and the schema of the table after it.

        Raises:
            DeclarationError: If an argument has no possible meaning.
            CatalogReadError: If the table cannot be read, or does not exist.
            StatementError: If the clone cannot be created.
        """
        ...
