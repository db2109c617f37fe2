"""Changes of tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes.guard import require_change

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTags:
    """Set tags, sorted by key.

    Args:
        path: The column; nothing for the table itself.
        tags: The values; ``""`` for a tag without one.
    """

    path: tuple[str, ...] = ()
    tags: Mapping[str, str]

    def __post_init__(self) -> None:
        require_change(self, bool(self.tags))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetTags:
    """Remove the tags ``keys``, sorted.

    Args:
        path: The column, as it is called before any rename; nothing for the table itself.
        keys: The tags.
    """

    path: tuple[str, ...] = ()
    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        require_change(self, bool(self.keys))
