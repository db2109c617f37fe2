"""The port through which catalogs are changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pytest_delta_schema.state.states import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.statement import Statement, StatementKind
    from pytest_delta_schema.state.states import CheckState
    from pytest_delta_schema.state.types import ColumnState


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """How many rows break what a plan demands.

    Args:
        rows: All rows of the table.
        nulls: Rows with NULL, by column that must not be; columns without any may be left out.
        broken: Rows that do not meet a check, unknown included, by its name; checks that all rows meet may be left out.
        repeated: Rows whose key, without NULL in it, another row has already.
    """

    rows: int
    nulls: Mapping[str, int] = field(default_factory=dict)
    broken: Mapping[str, int] = field(default_factory=dict)
    repeated: int = 0


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

    def count_rows(
        self,
        table: QualifiedName,
        *,
        not_null: Sequence[str] = (),
        checks: Sequence[CheckState] = (),
        key: Sequence[str] = (),
        added: Sequence[ColumnState] = (),
    ) -> RowCounts:
        """Count the rows of an existing table that break each demand, by one query for all of them.

        Args:
            table: Where.
            not_null: Columns in which NULL is counted.
            checks: Conditions that are counted where they are false or unknown.
            key: Columns of a primary key, of which each value may occur once.
            added: Columns that are not there yet, and NULL in every row.
        """
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
