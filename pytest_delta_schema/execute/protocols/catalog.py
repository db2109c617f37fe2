"""The ports of backends: reading, running statements, and scratch tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from pytest_delta_schema.execute.protocols.lag import NO_LAG, Lag
from pytest_delta_schema.sql.aspects.properties import set_keys, unset_keys
from pytest_delta_schema.state.catalog_reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.execute.protocols.version import Version
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.sql.statement import Statement, StatementKind
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


Samples = tuple[tuple[tuple[str | None, ...], ...], ...]
"""For each data check a few rows that fail it, and of each row some columns as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """The numbers of rows that fail data checks.

    Args:
        rows: All rows of the table; ``None`` if they were not counted.
        broken: For each data check, in order, the number of rows that fail it; for a key those that repeat another row.
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


def _emulate_no_property(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """Which statements a backend emulates or refuses; all others it runs unchanged.

    Args:
        emulates: Kinds that it lacks and does in another way, with the same result.
        emulates_property: Whether it stores a table property under another key, because it does not know the key.
        splits: Kinds that it runs as one statement, and one commit, for each column.
        refuses: Returns why it can neither run nor emulate a statement, or ``None``; at most it queries the catalog
            once
            for its version.
        refuses_for_table: The same for a statement on a table as it was read; the table is ``None`` if it is created.
        refuses_clones: Why it can clone no table; see
            :func:`~pytest_delta_schema.execute.protocols.table_copies.clone_refusal`.
        lag: How long reads may miss what statements have changed.
    """

    emulates: frozenset[StatementKind] = frozenset()
    emulates_property: Callable[[str], bool] = _emulate_no_property
    splits: frozenset[StatementKind] = frozenset()
    refuses: Callable[[Statement], Refusal | None] = _refuse_nothing
    refuses_for_table: Callable[[Statement, TableState | None], Refusal | None] = _refuse_no_table
    refuses_clones: Refusal | None = None
    lag: Lag = NO_LAG

    def is_emulated(self, statement: Statement) -> bool:
        """Whether the backend runs other statements with the same result, for the statement or for a part of it."""
        keys = (*set_keys(statement), *unset_keys(statement))
        return statement.kind in self.emulates or any(map(self.emulates_property, keys))


class DataCheckRunner(Protocol):
    """Runs data checks on the rows of one table."""

    def count_rows(
        self,
        data_checks: Sequence[DataCheck] = (),
        *,
        added: Sequence[ColumnState] = (),
        stop_early: bool = False,
        files: str | None = None,
    ) -> RowCounts:
        """Count the rows of the table that fail each data check, by one query for all of them.

        Args:
            data_checks: What the rows must satisfy.
            added: Columns that the plan adds, NULL in every row.
            stop_early: Whether to stop at the first row that fails a check.
            files: A folder of parquet files that will be converted; they are queried instead of the table.
        """
        ...

    def sample_rows(
        self,
        data_checks: Sequence[DataCheck],
        shown: Sequence[Sequence[str]],
        *,
        number: int,
        added: Sequence[ColumnState] = (),
        files: str | None = None,
    ) -> Samples:
        """Return a few rows that fail each data check, by one query for all of them.

        Args:
            data_checks: The failing data checks.
            shown: For each data check the columns to return, as text; without columns it gets no rows.
            number: How many rows at most for each.
            added: Columns that the plan adds, NULL in every row.
            files: A folder of parquet files that will be converted; they are queried instead of the table.
        """
        ...


class DeltaDDL(Protocol):
    """Runs statements against one catalog, emulating those that it lacks."""

    @property
    def name(self) -> str:
        """The name of the backend, such as ``local``."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """Which statements this catalog emulates or refuses."""
        ...

    def run(self, statement: Statement) -> None:
        """Run one statement.

        Raises:
            DeltaSchemaError: If the catalog refuses it; the text is the catalog's, with the names that users know. The
                creation of a table that exists is refused with the condition ``TABLE_OR_VIEW_ALREADY_EXISTS``.
        """
        ...

    def version(self, table: QualifiedName) -> Version:
        """Return the table's newest Delta version, ``ABSENT`` if it does not exist, or why it cannot be read.

        A table that cannot be read is never ``ABSENT``, and no error is raised for it.
        """
        ...

    def data_checks(self, table: QualifiedName) -> DataCheckRunner:
        """Return what counts and shows the rows of an existing table."""
        ...


@runtime_checkable
class StartsLazily(Protocol):
    """A catalog that starts a session when it is first needed, which takes seconds and may fail."""

    @property
    def is_started(self) -> bool:
        """Whether the session was started."""
        ...

    def start(self) -> None:
        """Start the session, unless it was started; raise a ``BackendUnavailableError`` if it does not start."""
        ...


class Catalog(CatalogReader, DeltaDDL, Protocol):
    """A whole backend: reads tables and runs statements on them."""

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the sorted names of all tables in a schema, without views; none if there is no such schema.

        Args:
            catalog: The catalog of the schema.
            schema: Its name.
        """
        ...


@runtime_checkable
class ListsViews(Protocol):
    """A catalog that can hold views; ``--delta-import`` declares them as ``read_only``."""

    def view_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the sorted names of the views of all kinds in a schema; none if there is no such schema.

        Args:
            catalog: The catalog of the schema.
            schema: Its name.
        """
        ...


class ScratchCatalog(Catalog, Protocol):
    """A catalog in which tests may create and drop what they need."""

    def create_schema(self, catalog: str, schema: str) -> None:
        """Create a schema unless it exists.

        Args:
            catalog: Its catalog.
            schema: Its name.
        """
        ...

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema with everything in it, partly created tables included, if it exists.

        Args:
            catalog: Its catalog.
            schema: Its name.
        """
        ...

    def insert(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows; columns that a row omits are NULL.

        Args:
            table: The table.
            rows: Values by column name.

        Raises:
            StatementError: If the table refuses the rows, or would return other values; nothing is written then.
        """
        ...
