"""The port through which catalogs are changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_delta_schema.state.states import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.statement import Statement, StatementKind


@dataclass(frozen=True, slots=True, kw_only=True)
class NullCounts:
    """How many rows are NULL where they must not be.

    Args:
        rows: All rows of the table.
        nulls: Rows with NULL, by column; columns without any may be left out.
    """

    rows: int
    nulls: Mapping[str, int]


class DeltaDDL(Protocol):
    """Runs statements against one catalog, emulating those that it lacks."""

    @property
    def emulates(self) -> frozenset[StatementKind]:
        """Kinds of statements that this catalog lacks and does in another way, with the same end."""
        ...

    def run(self, statement: Statement) -> None:
        """Run one statement.

        Raises:
            DeltaSchemaError: If the catalog refuses it; the text is the catalog's, in users' names.
        """
        ...

    def version(self, table: QualifiedName) -> int | None:
        """Return the table's current Delta version; ``None`` if there is no table."""
        ...

    def count_nulls(self, table: QualifiedName, columns: Sequence[str]) -> NullCounts:
        """Count the rows of an existing table that are NULL in each of ``columns``, by one query."""
        ...


class Catalog(CatalogReader, DeltaDDL, Protocol):
    """A whole backend: one reader and one runner over the same tables."""

    @property
    def name(self) -> str:
        """The name of the backend, such as ``local``."""
        ...


class Workbench(Catalog, Protocol):
    """A catalog in which tests may make and drop what they need."""

    def create_schema(self, catalog: str, schema: str) -> None:
        """Make a schema; one that is there already is fine."""
        ...

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema with everything in it, half-made tables included; one that is not there is fine."""
        ...

    def insert(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows, given as values by column name; columns that are left out are NULL.

        Raises:
            BackendFailure: If they do not fit the table.
        """
        ...
