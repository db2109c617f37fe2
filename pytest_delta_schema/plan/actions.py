"""Actions: what happens to one table, as values that do nothing.

None of them can be built empty, so a plan with an action in it always changes something.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.plan.changes import (
    Change,
    CheckAdd,
    CheckDrop,
    ColumnAdd,
    ColumnDrop,
    ColumnGenerationChange,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
    ConvertTable,
    ForeignKeyAdd,
    ForeignKeyDrop,
    LayoutRewrite,
    PrimaryKeyAdd,
    PrimaryKeyDrop,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    SetTags,
    UnsetTableProperties,
)
from pytest_delta_schema.plan.changes.kind import require_change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import CheckState, TableState
    from pytest_delta_schema.state.types import ColumnState

_C = TypeVar("_C")


def _no_parents() -> Mapping[QualifiedName, TableState]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable:
    """Create a table that does not exist.

    Args:
        table: Its name.
        columns: In declaration order.
        table_comment: ``""`` for none.
        table_properties: Sorted by key; never a value ``None``, since nothing has to be removed.
        primary_key: Added right after the creation.
        checks: Part of the creation itself.
        creates_schema: Whether the schema has to be created first.
        tags: Set when the table is there.
        foreign_keys: Added when all tables are there.
        parents: The tables that those point at, as they will be; for reports and rules, not part of equality.
    """

    table: QualifiedName
    columns: tuple[ColumnState, ...]
    table_comment: str
    table_properties: Mapping[str, str]
    primary_key: PrimaryKeyAdd | None
    creates_schema: bool
    checks: tuple[CheckState, ...] = ()
    partitioning: tuple[str, ...] = ()
    clustering: tuple[tuple[str, ...], ...] = ()
    tags: tuple[SetTags, ...] = ()
    foreign_keys: tuple[ForeignKeyAdd, ...] = ()
    parents: Mapping[QualifiedName, TableState] = field(default_factory=_no_parents, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_change(self, bool(self.columns))


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreTable:
    """Bring a table back to an older version; never planned, only done when an alignment fails midway."""

    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignTable:
    """Bring an existing table in line.

    Args:
        table: Its name.
        changes: At least one, in the order in which they are executed.
        desired: What the model wants; for reports and rules, not part of equality.
        observed: What the catalog holds; likewise.
        parents: The tables that new foreign keys point at, as they will be; likewise.
    """

    table: QualifiedName
    changes: tuple[Change, ...]
    desired: TableState = field(compare=False, repr=False)
    observed: TableState = field(compare=False, repr=False)
    parents: Mapping[QualifiedName, TableState] = field(default_factory=_no_parents, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_change(self, bool(self.changes))

    @property
    def convert(self) -> ConvertTable | None:
        """The conversion that comes before everything else, if any."""
        return self._only(ConvertTable)

    @property
    def drop_foreign_keys(self) -> tuple[ForeignKeyDrop, ...]:
        """The foreign keys that go, if only for a while, by name."""
        return self._all(ForeignKeyDrop)

    @property
    def drop_primary_key(self) -> PrimaryKeyDrop | None:
        """The key that goes, if any."""
        return self._only(PrimaryKeyDrop)

    @property
    def drop_checks(self) -> tuple[CheckDrop, ...]:
        """The checks that go, by name."""
        return self._all(CheckDrop)

    @property
    def add_checks(self) -> tuple[CheckAdd, ...]:
        """The checks that come, by name."""
        return self._all(CheckAdd)

    @property
    def rename_columns(self) -> tuple[ColumnRename, ...]:
        """The columns and fields that get another name, columns first."""
        return self._all(ColumnRename)

    @property
    def add_columns(self) -> tuple[ColumnAdd, ...]:
        """The columns that come, in declaration order."""
        return self._all(ColumnAdd)

    @property
    def change_types(self) -> tuple[ColumnTypeChange, ...]:
        """The columns that change their type, by name."""
        return self._all(ColumnTypeChange)

    @property
    def drop_columns(self) -> tuple[ColumnDrop, ...]:
        """The columns that go, by name."""
        return self._all(ColumnDrop)

    @property
    def rewrite_layout(self) -> LayoutRewrite | None:
        """The layout for which all data is written anew, if any."""
        return self._only(LayoutRewrite)

    @property
    def change_generation(self) -> tuple[ColumnGenerationChange, ...]:
        """The columns that would be generated otherwise, by name."""
        return self._all(ColumnGenerationChange)

    @property
    def change_nullability(self) -> tuple[ColumnNullabilityChange, ...]:
        """The columns that are tightened or loosened, by name."""
        return self._all(ColumnNullabilityChange)

    @property
    def add_primary_key(self) -> PrimaryKeyAdd | None:
        """The key that comes, if any."""
        return self._only(PrimaryKeyAdd)

    @property
    def foreign_keys(self) -> tuple[ForeignKeyAdd, ...]:
        """The foreign keys that come, by name."""
        return self._all(ForeignKeyAdd)

    @property
    def set_column_comments(self) -> SetColumnComments | None:
        """The column comments that change, if any."""
        return self._only(SetColumnComments)

    @property
    def set_table_comment(self) -> SetTableComment | None:
        """The new table comment, if it changes."""
        return self._only(SetTableComment)

    @property
    def set_table_properties(self) -> SetTableProperties | None:
        """The properties to set, if any."""
        return self._only(SetTableProperties)

    @property
    def unset_table_properties(self) -> UnsetTableProperties | None:
        """The properties to remove, if any."""
        return self._only(UnsetTableProperties)

    def _all(self, kind: type[_C]) -> tuple[_C, ...]:
        if kind not in map(type, self.changes):
            return ()
        return tuple(change for change in self.changes if isinstance(change, kind))

    def _only(self, kind: type[_C]) -> _C | None:
        return next(iter(self._all(kind)), None)
