"""Actions: values that say what changes, and do nothing.

None of them can be built empty, so a plan with an action in it always changes something.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, Union

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import CheckState, TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryKeyDrop:
    """Drop the primary key ``name`` over ``columns``."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDrop:
    """Drop the CHECK constraint ``name``; rows that it refused may come in from now on."""

    name: str
    expression: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReplace:
    """Put ``after`` in the place of ``before``: dropped before the columns change, added after them.

    The same expression under two names is a renamed constraint; wholly equal ones step aside for the columns they name.
    """

    before: CheckState
    after: CheckState


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAdd:
    """Add the CHECK constraint ``name``; every row that is there must meet it."""

    name: str
    expression: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAdd:
    """Add ``column`` behind the existing ones; its comment is set with the others'."""

    column: ColumnState


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnTypeChange:
    """Change the type of the stored column ``name``."""

    name: str
    before: DataTypeState
    after: DataTypeState

    def __post_init__(self) -> None:
        _require_change(self, self.before != self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDrop:
    """Drop the stored ``column`` and the data in it."""

    column: ColumnState


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNullabilityChange:
    """Let the stored column ``name`` be NULL, or forbid it."""

    name: str
    is_nullable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryKeyAdd:
    """Add the primary key ``name`` over ``columns``, in order."""

    name: str
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        _require_change(self, bool(self.columns))


@dataclass(frozen=True, slots=True, kw_only=True)
class SetColumnComments:
    """Set the comments of columns, new ones included; ``""`` clears one."""

    comments: Mapping[str, str]

    def __post_init__(self) -> None:
        _require_change(self, bool(self.comments))


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableComment:
    """Set the table's comment; ``""`` clears it."""

    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableProperties:
    """Set properties, sorted by key."""

    properties: Mapping[str, str]

    def __post_init__(self) -> None:
        _require_change(self, bool(self.properties))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetTableProperties:
    """Remove the properties ``keys``, sorted and spelled as stored."""

    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        _require_change(self, bool(self.keys))


Change = Union[  # noqa: UP007 - a union of classes at run time, on every supported Python
    PrimaryKeyDrop,
    CheckDrop,
    CheckReplace,
    CheckAdd,
    ColumnAdd,
    ColumnTypeChange,
    ColumnDrop,
    ColumnNullabilityChange,
    PrimaryKeyAdd,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    UnsetTableProperties,
]

ALIGNMENT_ORDER: tuple[type[Change], ...] = (
    PrimaryKeyDrop,
    CheckDrop,
    ColumnAdd,
    ColumnTypeChange,
    ColumnDrop,
    ColumnNullabilityChange,
    CheckReplace,
    CheckAdd,
    PrimaryKeyAdd,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    UnsetTableProperties,
)
"""The order of an alignment: readers can live with every state in between."""

_C = TypeVar("_C")


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
    """

    table: QualifiedName
    columns: tuple[ColumnState, ...]
    table_comment: str
    table_properties: Mapping[str, str]
    primary_key: PrimaryKeyAdd | None
    creates_schema: bool
    checks: tuple[CheckState, ...] = ()

    def __post_init__(self) -> None:
        _require_change(self, bool(self.columns))


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignTable:
    """Bring an existing table in line.

    Args:
        table: Its name.
        changes: At least one, in the order in which they are executed.
        desired: What the model wants; for reports and rules, not part of equality.
        observed: What the catalog holds; likewise.
    """

    table: QualifiedName
    changes: tuple[Change, ...]
    desired: TableState = field(compare=False, repr=False)
    observed: TableState = field(compare=False, repr=False)

    def __post_init__(self) -> None:
        _require_change(self, bool(self.changes))

    @property
    def drop_primary_key(self) -> PrimaryKeyDrop | None:
        """The key that goes, if any."""
        return self._only(PrimaryKeyDrop)

    @property
    def drop_checks(self) -> tuple[CheckDrop, ...]:
        """The checks that go, by name."""
        return self._all(CheckDrop)

    @property
    def replace_checks(self) -> tuple[CheckReplace, ...]:
        """The checks that are replaced, by name."""
        return self._all(CheckReplace)

    @property
    def add_checks(self) -> tuple[CheckAdd, ...]:
        """The checks that come, by name."""
        return self._all(CheckAdd)

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
    def change_nullability(self) -> tuple[ColumnNullabilityChange, ...]:
        """The columns that are tightened or loosened, by name."""
        return self._all(ColumnNullabilityChange)

    @property
    def add_primary_key(self) -> PrimaryKeyAdd | None:
        """The key that comes, if any."""
        return self._only(PrimaryKeyAdd)

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
        return tuple(change for change in self.changes if isinstance(change, kind))

    def _only(self, kind: type[_C]) -> _C | None:
        return next((change for change in self.changes if isinstance(change, kind)), None)


def _require_change(action: object, condition: bool) -> None:  # noqa: FBT001 - private guard
    if not condition:
        msg = f"{type(action).__name__} would change nothing; leave it out of the plan"
        raise ValueError(msg)
