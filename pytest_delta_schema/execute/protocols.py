"""The port through which catalogs are changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pytest_delta_schema.state.states import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.execute.version import Version
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.sql.statement import Statement, StatementKind
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


Samples = tuple[tuple[tuple[str | None, ...], ...], ...]
"""For each demand a few rows that break it, and of each row some columns as texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """How many rows break what a plan demands.

    Args:
        rows: All rows of the table; ``None`` if they were not counted.
        broken: For each demand, in order, the rows that break it; those of a key that repeat another row's.
    """

    rows: int | None
    broken: tuple[int, ...] = ()


class Refusal(NamedTuple):
    """Why a catalog can never run a statement.

    Args:
        reason: What the catalog lacks.
        remedy: What to do about it, in the imperative.
    """

    reason: str
    remedy: str


def _refuse_nothing(_: Statement) -> None:
    return None


def _refuse_no_table(_: Statement, __: TableState | None) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a backend makes of statements; everything that is not said here it runs as it is.

    Args:
        emulates: Kinds that it lacks and does in another way, with the same end.
        refuses: Says why it can neither run a statement nor emulate it, and ``None`` of all others; asks nobody.
        refuses_on: Says so of a statement on a table as it was read; the table is ``None`` where it is created.
    """

    emulates: frozenset[StatementKind] = frozenset()
    refuses: Callable[[Statement], Refusal | None] = _refuse_nothing
    refuses_on: Callable[[Statement, TableState | None], Refusal | None] = _refuse_no_table


class DeltaDDL(Protocol):
    """Runs statements against one catalog, emulating those that it lacks."""

    @property
    def name(self) -> str:
        """The name of the backend, such as ``local``."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What this catalog makes of statements."""
        ...

    def run(self, statement: Statement) -> None:
        """Run one statement.

        Raises:
            DeltaSchemaError: If the catalog refuses it; the text is the catalog's, in users' names.
        """
        ...

    def version(self, table: QualifiedName) -> Version:
        """Return the table's newest Delta version, ``ABSENT`` if it does not exist, or why it cannot be read.

        A table that cannot be read is never ``ABSENT``, and no error is raised for it.
        """
        ...

    def count_rows(
        self,
        table: QualifiedName,
        data_checks: Sequence[DataCheck] = (),
        *,
        added: Sequence[ColumnState] = (),
        stop_early: bool = False,
        files: str | None = None,
    ) -> RowCounts:
        """Count the rows of an existing table that break each demand, by one query for all of them.

        Args:
            table: Where.
            data_checks: What the rows should meet.
            added: Columns that are not there yet, and NULL in every row.
            stop_early: Whether the first row that breaks something is enough; then nothing is counted beyond it.
            files: A folder of parquet files that the table will be made of; they are asked in its place.
        """
        ...

    def sample_rows(  # noqa: PLR0913 - the parts of one query
        self,
        table: QualifiedName,
        data_checks: Sequence[DataCheck],
        shown: Sequence[Sequence[str]],
        *,
        number: int,
        added: Sequence[ColumnState] = (),
        files: str | None = None,
    ) -> Samples:
        """Return a few rows that break each demand, by one query for all of them.

        Args:
            table: Where.
            data_checks: What rows break.
            shown: For each demand the columns to return, as texts; a demand without any gets no rows.
            number: How many rows at most for each.
            added: Columns that are not there yet, and NULL in every row.
            files: A folder of parquet files that the table will be made of; they are asked in its place.
        """
        ...


class Catalog(CatalogReader, DeltaDDL, Protocol):
    """A whole backend: one reader and one runner over the same tables."""

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema, views aside, sorted; none if there is no such schema."""
        ...


class ScratchCatalog(Catalog, Protocol):
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
            StatementError: If they would be read back otherwise than they are given; nothing is written then. Or if the
                table refuses them.
        """
        ...
