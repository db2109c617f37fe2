"""Changes: values that say what changes in an existing table, and do nothing.

None of them can be built empty, so a plan with a change in it always changes something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.state.states import CheckState, ForeignKeyState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


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
        require_change(self, self.before != self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDrop:
    """Drop the stored ``column`` and the data in it."""

    column: ColumnState


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
    """Set the comments of columns, new ones included; ``""`` clears one."""

    comments: Mapping[str, str]

    def __post_init__(self) -> None:
        require_change(self, bool(self.comments))


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
    ColumnAdd,
    ColumnTypeChange,
    ColumnDrop,
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
    ForeignKeyAdd,
)
"""The order of an alignment: readers can live with every state in between."""
