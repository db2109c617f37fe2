"""The protocol by which catalogs are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pytest_delta_schema.models.arguments import refuse_kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.log_facts import IntroducedBy
    from pytest_delta_schema.state.states import CatalogState


class CatalogReader(Protocol):
    """The port through which a catalog is observed."""

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables of models and the parents of their foreign keys, without a cache, and change nothing.

        A table that exists but cannot be read, or is not a Delta table, becomes a problem and never an absent table.

        Raises:
            CatalogReadError: If nothing at all could be read.
        """
        ...

    def read_tables(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Read tables by their names, without a cache, and change nothing.

        Tables that these ones reference are not read, and files that a table could be converted from are a problem.

        Raises:
            CatalogReadError: If nothing at all could be read.
        """
        ...

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:
        """Return the commits in its history that introduced columns of an existing table; read no rows.

        Args:
            table: The table.
            paths: Of columns that it has, in lower case.

        Raises:
            DeltaSchemaError: If the history cannot be read.
        """
        ...

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
        """Return those paths that an older version of an existing table has, if its log reaches that far.

        Args:
            table: The table.
            paths: Of columns that the newest version lacks.

        Raises:
            DeltaSchemaError: If older versions cannot be read.
        """
        ...


def require_reader(value: object, subject: str) -> None:
    """Raise unless a value can read tables, as catalogs do."""
    if isinstance(value, type) or not hasattr(value, "snapshot") or not hasattr(value, "read_tables"):
        remedy = "give one, such as the fixture delta_catalog, or MemoryCatalog()"
        refuse_kind(subject, "a catalog", value, remedy)
