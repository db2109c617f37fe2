"""The ports to catalogs that read rows, and older versions of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pytest_delta_schema.state.catalog_reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.execute.protocols.version import Version
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.commits import Commit
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


@runtime_checkable
class ReadsRows(CatalogReader, Protocol):
    """A catalog that returns the rows of tables; :func:`~pytest_delta_schema.assert_table_equals` uses it."""

    def rows(self, table: QualifiedName, *, version: int | None = None) -> Sequence[dict[str, Any]]:
        """Return all rows of an existing table, in any order.

        Args:
            table: The table.
            version: An older version of it; by default the newest.

        Returns:
            Values by the names of columns; timestamps have a time zone.

        Raises:
            DeltaSchemaError: If they cannot be read.
        """
        ...

    def as_stored(self, table: TableState, rows: Any) -> Sequence[dict[str, Any]]:
        """Return rows as the table would return them after an insert; nothing is written.

        Args:
            table: The table.
            rows: Dictionaries by column name, ``Row`` objects, tuples in the order of the columns, or a frame.

        Returns:
            Values by the names of columns in lower case; columns that a row leaves out are left out.

        Raises:
            StatementError: If a value does not fit the type of its column, or a NOT NULL column has none.
        """
        ...


@runtime_checkable
class KeepsVersions(ReadsRows, Protocol):
    """A catalog that reads the commits and older versions of tables, as :func:`state_text` needs them."""

    def version(self, table: QualifiedName) -> Version:
        """Return the newest version of a table, as :meth:`DeltaDDL.version` does.

        Args:
            table: The table.
        """
        ...

    def commits(self, table: QualifiedName, *, first: int = 0) -> tuple[Commit, ...]:
        """Return the commits of an existing table, the oldest first; those that its log has lost are left out.

        Args:
            table: The table.
            first: The first version.

        Raises:
            CatalogReadError: If its log cannot be read.
        """
        ...

    def columns_before(self, table: QualifiedName, version: int) -> tuple[ColumnState, ...]:
        """Return the columns of an existing table in one version, under the names that they had in the version before.

        Args:
            table: The table.
            version: The version, at least 1.

        Raises:
            CatalogReadError: If one of the two does not exist, or cannot be read any more.
        """
        ...

    def state_at(self, table: QualifiedName, version: int) -> TableState:
        """Return the state of an existing table in one of its versions.

        Args:
            table: The table.
            version: The version.

        Raises:
            CatalogReadError: If the version does not exist, or cannot be read any more.
        """
        ...


@runtime_checkable
class IdentifiesTables(Protocol):
    """A catalog whose states do not show the ids of tables, and that can ask for one."""

    def table_id(self, table: QualifiedName) -> str:
        """Return the id of an existing table, which a new table of its name does not have.

        Args:
            table: The table.

        Raises:
            StatementError: If it cannot be read.
        """
        ...
