"""Actions: what a plan does to one table, as values.

None of them can be built empty, so a plan with an action in it always changes something.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.plan.changes import Change, ForeignKeyAdd, PrimaryKeyAdd, SetTags
from pytest_delta_schema.plan.changes.kind import require_change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import CheckState, TableState
    from pytest_delta_schema.state.types import ColumnState

_C = TypeVar("_C")


def _no_parents() -> Mapping[QualifiedName, TableState]:
    return MappingProxyType({})


class SchemaMissing:
    """The schema of a declared table is not in the catalog.

    An apply creates it before the table. It never creates a catalog.

    Remedy: Apply the model, or correct the name of its schema.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DD100"


class TableMissing:
    """A declared table is not in the catalog.

    Everything that belongs to the new table has this code, too: its columns, checks, keys, comments, properties and
    tags.

    Remedy: Apply the model, or correct its name. If the table has another name in this environment, map the names
    (``--delta-bind``).

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DD101"


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable:
    """Create a table that does not exist.

    Args:
        table: Its name.
        columns: In declaration order.
        table_comment: ``""`` for none.
        table_properties: Sorted by key; never a value ``None``, since nothing has to be removed.
        checks: Part of the creation itself.
        creates_schema: Whether the schema has to be created first.
        keys: The primary and unique keys; added right after the creation.
        tags: Set when the table exists.
        partitioning: The columns by which files are partitioned, in order.
        clustering: The paths by which rows are clustered, in order.
        foreign_keys: Added when all tables exist.
        parents: The tables that the foreign keys reference, as planned; for reports and rules, not part of equality.
    """

    table: QualifiedName
    columns: tuple[ColumnState, ...]
    table_comment: str
    table_properties: Mapping[str, str]
    creates_schema: bool
    keys: tuple[Change, ...] = ()
    checks: tuple[CheckState, ...] = ()
    partitioning: tuple[str, ...] = ()
    clustering: tuple[ColumnPath, ...] = ()
    tags: tuple[SetTags, ...] = ()
    foreign_keys: tuple[ForeignKeyAdd, ...] = ()
    parents: Mapping[QualifiedName, TableState] = field(default_factory=_no_parents, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_change(self, bool(self.columns))

    @property
    def primary_key(self) -> PrimaryKeyAdd | None:
        """The primary key, if it has one."""
        return next((change for change in self.keys if isinstance(change, PrimaryKeyAdd)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreTable:
    """Restore an older version of a table; never planned, only run when an alignment fails midway."""

    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignTable:
    """Align an existing table with its model.

    Args:
        table: Its name.
        changes: At least one, in the order in which they are executed.
        desired: What the model wants. For reports and rules; like the next two, not part of equality.
        observed: What the catalog holds.
        parents: The tables that new foreign keys reference, as planned.
    """

    table: QualifiedName
    changes: tuple[Change, ...]
    desired: TableState = field(compare=False, repr=False)
    observed: TableState = field(compare=False, repr=False)
    parents: Mapping[QualifiedName, TableState] = field(default_factory=_no_parents, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_change(self, bool(self.changes))

    @property
    def foreign_keys(self) -> tuple[ForeignKeyAdd, ...]:
        """The foreign keys to add, by name."""
        return self.all(ForeignKeyAdd)

    def all(self, kind: type[_C]) -> tuple[_C, ...]:
        """Return the changes of one kind, in their order: ``action.all(ColumnDrop)``."""
        if kind not in map(type, self.changes):
            return ()
        return tuple(change for change in self.changes if isinstance(change, kind))

    def one(self, kind: type[_C]) -> _C | None:
        """Return the change of a kind that occurs once at most, if any: ``action.one(PrimaryKeyAdd)``."""
        return next(iter(self.all(kind)), None)
