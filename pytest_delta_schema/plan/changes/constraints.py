"""Changes of constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes.guard import require_change

if TYPE_CHECKING:
    from pytest_delta_schema.state.states import CheckState, ForeignKeyState


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
