"""Changes of columns, and of the fields below them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes.guard import require_change

if TYPE_CHECKING:
    from pytest_delta_schema.state.types import ColumnGeneration, ColumnState, DataTypeState


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

    With ``above`` it is a field: the path of the struct that gets it. With ``after`` it goes behind that column, with
    ``""`` in front of all.
    """

    column: ColumnState
    above: tuple[str, ...] = ()
    after: str | None = None

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
class ColumnMove:
    """Put the stored column ``name`` behind another one; ``None`` puts it first."""

    name: str
    after: str | None

    def __post_init__(self) -> None:
        require_change(self, self.name != self.after)


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
    before: ColumnGeneration
    after: ColumnGeneration

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
