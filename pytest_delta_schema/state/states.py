"""The frozen shape of a table and of a catalog, and the port through which catalogs are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pytest_delta_schema.errors import CatalogReadError, ReadProblem
from pytest_delta_schema.models.modes import IGNORE, STRICT
from pytest_delta_schema.models.ownership import ALL_MANAGED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.models.conversion import Parquet
    from pytest_delta_schema.models.modes import ContractMode, Evolution
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.ownership import Ownership
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.catalog_entry import EntryState, LogState
    from pytest_delta_schema.state.conversion import SourceState
    from pytest_delta_schema.state.introduced_by import IntroducedBy
    from pytest_delta_schema.state.types import ColumnState

OWNED_PROPERTIES = "pytest_delta_schema.ownedProperties"
"""Where a table keeps the keys that its model has set: a property of ours, sorted keys as JSON."""

OWN_PROPERTY_PREFIX = "pytest_delta_schema."
"""Properties below this prefix are ours: hidden from comparison, refused in models."""


Tags = Mapping[tuple[str, ...], Mapping[str, str | None]]
"""The tags of a table, by ``()``, and of its columns, by their paths."""

NO_TAGS: Tags = MappingProxyType({})


class KeyState(NamedTuple):
    """A primary key: its name, its columns in order, and whether queries may rely on it."""

    name: str
    columns: tuple[str, ...]
    rely: bool = False


class CheckState(NamedTuple):
    """A CHECK constraint: its name, and its expression as it was written or stored."""

    name: str
    expression: str


class ForeignKeyState(NamedTuple):
    """A foreign key: its name, its columns in order, the parent table and its columns.

    No parent columns means the parent's primary key, whatever that is.
    """

    name: str
    columns: tuple[str, ...]
    parent: QualifiedName
    parent_columns: tuple[str, ...]
    rely: bool = False


class RenameState(NamedTuple):
    """The hint that a column, or a field, was called otherwise.

    Args:
        path: Where it stands, under its new name.
        old: Its old name.
    """

    path: tuple[str, ...]
    old: str


def by_name(constraint: CheckState | ForeignKeyState) -> str:
    """Return what constraints of one kind are sorted by."""
    return constraint.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """Everything that is compared about one table, wanted or observed.

    Args:
        name: The table's name.
        exists: Whether the table is there; always true for a wanted one.
        schema_exists: Whether its schema is there.
        columns: In stored order.
        table_comment: ``""`` if there is none.
        table_properties: Read-only. ``None`` as a value is only found in wanted states and means *absent*.
        owned_properties: The keys that a model has set, if the table keeps a record of them. Not compared as such.
        primary_key: ``None`` if there is none.
        checks: Sorted by name without case.
        foreign_keys: Sorted by name without case.
        partitioning: The columns by which files are parted, in order.
        clustering: The paths by which rows are laid out, in order.
        tags: By the column that has them, and by ``()`` those of the table. ``None`` as a value is only found in wanted
            states and means *absent*.
        logical_name: What the model of a wanted state is called, if that is not its name. Not part of the comparison.
        renames: Hints of a wanted state. Not part of the comparison.
        column_order: What a wanted state makes of the order of columns. Not part of the comparison.
        ownership: The mode of every aspect that a wanted state does not manage. Not part of the comparison.
        evolution: What a wanted state makes of columns that it lacks. Not part of the comparison.
        source: The files that stand where the table is wanted; ``None`` if it is a Delta table, or absent.
        convert_from: How a wanted state consents to their conversion. Not part of the comparison.
        version: Delta version that was read; ``None`` if unknown. Not part of the comparison.
    """

    name: QualifiedName
    exists: bool = True
    schema_exists: bool = True
    columns: tuple[ColumnState, ...] = ()
    table_comment: str = ""
    table_properties: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    primary_key: KeyState | None = None
    checks: tuple[CheckState, ...] = ()
    foreign_keys: tuple[ForeignKeyState, ...] = ()
    partitioning: tuple[str, ...] = ()
    clustering: tuple[tuple[str, ...], ...] = ()
    tags: Tags = field(default_factory=lambda: NO_TAGS)
    source: SourceState | None = None
    convert_from: Parquet | None = field(default=None, compare=False)
    logical_name: QualifiedName | None = field(default=None, compare=False)
    owned_properties: tuple[str, ...] | None = field(default=None, compare=False)
    renames: tuple[RenameState, ...] = field(default=(), compare=False)
    column_order: ContractMode = field(default=IGNORE, compare=False)
    ownership: Ownership = field(default_factory=lambda: ALL_MANAGED, compare=False)
    evolution: Evolution = field(default=STRICT, compare=False)
    version: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogState:
    """What a catalog showed of the tables it was asked for: each is either read or a problem.

    Args:
        tables: Read tables, those that do not exist included.
        problems: Tables that could not be read.
        records: What a catalog says of tables beside their logs, if it keeps such a record; or why that makes no sense.
        logs: What the logs of these tables say that their records should show, as far as they can be compared.
    """

    tables: Mapping[QualifiedName, TableState]
    problems: Mapping[QualifiedName, ReadProblem] = field(default_factory=lambda: MappingProxyType({}))
    records: Mapping[QualifiedName, EntryState | ReadProblem] = field(default_factory=lambda: MappingProxyType({}))
    logs: Mapping[QualifiedName, LogState] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(cls, found: Mapping[QualifiedName, TableState | ReadProblem], **beside: Any) -> CatalogState:
        """Part what was found into tables and problems; ``beside`` are the other arguments."""
        return cls(
            **beside,
            tables={name: each for name, each in found.items() if isinstance(each, TableState)},
            problems={name: each for name, each in found.items() if isinstance(each, ReadProblem)},
        )

    def require(self, names: Iterable[QualifiedName]) -> None:
        """Make sure that every named table was read.

        Raises:
            CatalogReadError: With a problem for each that was not.
        """
        problems = [self.problem(name) for name in names if name not in self.tables]
        if problems:
            raise CatalogReadError(problems)

    def existing(self, name: QualifiedName) -> TableState:
        """Return a table that was read and is there.

        Raises:
            CatalogReadError: If it was not read, or is not there.
        """
        self.require([name])
        state = self.tables[name]
        if not state.exists:
            problem = ReadProblem(table=str(name), message="is not in the catalog", remedy="create it first")
            raise CatalogReadError([problem])
        return state

    def problem(self, name: QualifiedName) -> ReadProblem:
        """Say why a table is not in ``tables``."""
        return self.problems.get(name) or ReadProblem(
            table=str(name),
            message="is not part of the catalog state it is planned against",
            remedy="take the snapshot with the same models",
        )


class CatalogReader(Protocol):
    """The port through which a catalog is observed."""

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables that ``models`` name, and the parents of their foreign keys, fresh, and change nothing.

        A table that exists but cannot be read, or is no Delta table, becomes a problem and never an absent table.

        Raises:
            CatalogReadError: If nothing at all could be read.
        """
        ...

    def read_tables(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Read tables by their names alone, fresh, and change nothing.

        Tables that these ones reference are not read, and files that a table could be converted from are a problem.

        Raises:
            CatalogReadError: If nothing at all could be read.
        """
        ...

    def introduced_by(self, table: QualifiedName, paths: Iterable[tuple[str, ...]]) -> tuple[IntroducedBy, ...]:
        """Say which commits brought columns of an existing table, as far as its history tells; read no rows.

        Raises:
            DeltaSchemaError: If the history cannot be read.
        """
        ...

    def past_columns(self, table: QualifiedName, paths: Iterable[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
        """Return those of some paths that an older version of an existing table has, as far as its log reaches back.

        Args:
            table: Where.
            paths: Of columns that the newest version lacks, in lower case.

        Raises:
            DeltaSchemaError: If older versions cannot be read.
        """
        ...
