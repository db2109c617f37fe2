"""The port to catalogs whose tables alone decide which rows they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pytest_delta_schema.execute.protocols.catalog import DeltaDDL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.models.names import QualifiedName


@runtime_checkable
class AppendsRows(DeltaDDL, Protocol):
    """A catalog that appends rows as they are; ``--delta-enforce`` uses it."""

    def append_rows(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows that nothing checks before the table does; the table fills columns that they leave out.

        Rows have values of the types of the columns, by their names, and all of them the same columns.

        Raises:
            StatementError: If the table refuses the rows; nothing is written then. The text names the constraint.
        """
        ...
