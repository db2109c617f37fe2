"""Changes of a table's layout, comments and properties."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes.guard import require_change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.state.conversion import SourceState
    from pytest_delta_schema.state.types import DataTypeState


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertTable:
    """Make a Delta table of files, where they lie; what the model says besides follows as other changes.

    Args:
        source: The files.
        partitions: The columns by which their folders part them, in order, with their types.
        statistics: Whether statistics of all files are read.
        creates_schema: Whether the schema has to be created first.
    """

    source: SourceState
    partitions: tuple[tuple[str, DataTypeState], ...] = ()
    statistics: bool = True
    creates_schema: bool = False


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
