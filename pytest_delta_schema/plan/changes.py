"""Changes: values that say what changes in an existing table, and do nothing.

None of them can be built empty, so a plan with a change in it always changes something.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.state.states import CheckState, ForeignKeyState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState, ValueState


def require_change(action: object, condition: bool) -> None:  # noqa: FBT001 - a guard
    """Refuse an action that would change nothing.

    Raises:
        ValueError: If ``condition`` does not hold.
    """
    if not condition:
        msg = f"{type(action).__name__} would change nothing; leave it out of the plan"
        raise ValueError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyDrop:
    """Drop a foreign key; one that stays is dropped and added again when its parent's key changes."""

    key: ForeignKeyState


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
class ColumnRename:
    """Call the stored column ``name``, or the field below it that ``fields`` lead to, ``to``."""

    name: str
    to: str
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_change(self, self.path[-1] != self.to)

    @property
    def path(self) -> tuple[str, ...]:
        """The column and the fields below it, down to the one that is renamed, under its old name."""
        return (self.name, *self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAdd:
    """Add ``column`` behind the existing ones; its comment and its default are set with the others'.

    With ``above`` it is a field: the path of the struct that gets it.
    """

    column: ColumnState
    above: tuple[str, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        """Where it will stand."""
        return (*self.above, self.column.name)

    @property
    def bare(self) -> ColumnState:
        """The column as it comes: Delta adds none with a default, and the comment is set with the others."""
        value = self.column.value and self.column.value._replace(default=None)
        return self.column._replace(comment="", value=value if value and any(value) else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnTypeChange:
    """Change the type of the stored column ``name``, or of the part of it that ``fields`` lead to."""

    name: str
    before: DataTypeState
    after: DataTypeState
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)

    @property
    def path(self) -> tuple[str, ...]:
        """The column and the parts below it, down to the one that changes."""
        return (self.name, *self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDrop:
    """Drop the stored ``column`` and the data in it; with ``above`` it is a field of that struct."""

    column: ColumnState
    above: tuple[str, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        """Where it stands."""
        return (*self.above, self.column.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDefaultChange:
    """Change the default of the stored column ``name``, or of the field below it that ``fields`` lead to.

    Rows that are there keep what they hold. ``None`` means that there is no default.
    """

    name: str
    before: str | None
    after: str | None
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)

    @property
    def path(self) -> tuple[str, ...]:
        """The column and the fields below it, down to the one that changes."""
        return (self.name, *self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnGenerationChange:
    """Change how the stored column ``name`` is generated or counts, which no statement of Delta does."""

    name: str
    before: ValueState
    after: ValueState

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNullabilityChange:
    """Let the stored column ``name`` be NULL, or forbid it; with ``fields``, the field below it that they lead to."""

    name: str
    is_nullable: bool
    fields: tuple[str, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        """The column and the fields below it, down to the one that changes."""
        return (self.name, *self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteringChange:
    """Lay rows out by other columns from now on; those that are there move when the table is optimized.

    Args:
        before: The paths as they are.
        after: The paths as they will be; none for no clustering.
        raises_protocol: Whether the table was never clustered, so that its protocol rises.
    """

    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]
    raises_protocol: bool = False

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutRewrite:
    """Write all data anew, parted by other columns; nothing else about the table changes.

    Args:
        partitioning: The columns by which the files will be parted.
        clustering: The paths by which rows will be laid out.
    """

    partitioning: tuple[str, ...]
    clustering: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMove:
    """Put the stored column ``name`` behind another one; ``None`` puts it first."""

    name: str
    after: str | None

    def __post_init__(self) -> None:
        require_change(self, self.name != self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryKeyAdd:
    """Add the primary key ``name`` over ``columns``, in order."""

    name: str
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        require_change(self, bool(self.columns))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyAdd:
    """Add a foreign key, when everything else has been done to its table and to its parent."""

    key: ForeignKeyState


@dataclass(frozen=True, slots=True, kw_only=True)
class SetColumnComments:
    """Set the comments of columns, and of fields by their paths, new ones included; ``""`` clears one."""

    comments: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    fields: Mapping[tuple[str, ...], str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        require_change(self, bool(self.comments or self.fields))

    @property
    def by_path(self) -> dict[tuple[str, ...], str]:
        """All of them by path, columns first."""
        return {**{(name,): comment for name, comment in self.comments.items()}, **self.fields}


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableComment:
    """Set the table's comment; ``""`` clears it."""

    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableProperties:
    """Set properties, sorted by key."""

    properties: Mapping[str, str]

    def __post_init__(self) -> None:
        require_change(self, bool(self.properties))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetTableProperties:
    """Remove the properties ``keys``, sorted and spelled as stored."""

    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        require_change(self, bool(self.keys))


Change = Union[  # noqa: UP007 - a union of classes at run time, on every supported Python
    ForeignKeyDrop,
    PrimaryKeyDrop,
    CheckDrop,
    CheckReplace,
    CheckAdd,
    ColumnRename,
    ColumnAdd,
    ColumnTypeChange,
    ClusteringChange,
    LayoutRewrite,
    ColumnDrop,
    ColumnMove,
    ColumnDefaultChange,
    ColumnGenerationChange,
    ColumnNullabilityChange,
    PrimaryKeyAdd,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    UnsetTableProperties,
    ForeignKeyAdd,
]

ALIGNMENT_ORDER: tuple[type[Change], ...] = (
    ForeignKeyDrop,
    PrimaryKeyDrop,
    CheckDrop,
    ColumnRename,
    ColumnAdd,
    ColumnTypeChange,
    ClusteringChange,
    LayoutRewrite,
    ColumnDrop,
    ColumnMove,
    ColumnDefaultChange,
    ColumnGenerationChange,
    ColumnNullabilityChange,
    CheckReplace,
    CheckAdd,
    PrimaryKeyAdd,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    UnsetTableProperties,
    ForeignKeyAdd,
)
"""The order of an alignment: readers can live with every state in between."""
