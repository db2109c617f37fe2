"""Changes of the primary key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.change_markers import ABSENT, ADD, DROP
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare, require_change
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.state.states import KeyState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.state.states import TableState


__all__ = ["PrimaryKeyAdd", "PrimaryKeyDrop"]


def _drop_lines(change: PrimaryKeyDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, part_path("primary_key"), _described(change.key), ABSENT)


class UndeclaredPrimaryKey:
    """The table has a primary key that the model does not declare.

    A key over other columns than declared is dropped and added again, and has this code and DD112.

    Remedy: Declare the key (``primary_key``), or apply the model.

    Example:
        stored = Table(
            "dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)], primary_key=["id"]
        )
        model = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
    """

    code = "DD113"


@declare(
    ChangeKind(
        aspect="primary_keys",
        drift=UndeclaredPrimaryKey,
        step=Step.DROP_PRIMARY_KEY,
        risk=Risk.METADATA,
        describe=_drop_lines,
        key="drop",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryKeyDrop:
    """Drop the primary key ``name`` over ``columns``.

    Args:
        name: Its name.
        columns: Its columns, in order.
        rely: Whether queries may rely on it.
    """

    name: str
    columns: tuple[str, ...]
    rely: bool | None = False

    @property
    def key(self) -> KeyState:
        """The key."""
        return KeyState(self.name, self.columns, self.rely)


def _add_lines(change: PrimaryKeyAdd, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, part_path("primary_key"), ABSENT, _described(change.key))


class PrimaryKeyMissing:
    """The declared primary key is not in the table, or has other columns there.

    Rows with equal values in it, or with NULL, forbid the apply.

    Remedy: Apply the model, or remove the key from the model.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)], primary_key=["id"]
        )
    """

    code = "DD112"


@declare(
    ChangeKind(
        aspect="primary_keys",
        drift=PrimaryKeyMissing,
        step=Step.ADD_PRIMARY_KEY,
        risk=Risk.SCAN,
        describe=_add_lines,
        needs_data_check=True,
        key="add",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryKeyAdd:
    """Add the primary key ``name`` over ``columns``, in order.

    Args:
        name: Its name.
        columns: Its columns, in order; at least one.
        rely: Whether queries may rely on it.
    """

    name: str
    columns: tuple[str, ...]
    rely: bool | None = False

    def __post_init__(self) -> None:
        require_change(self, bool(self.columns))

    @property
    def key(self) -> KeyState:
        """The key."""
        return KeyState(self.name, self.columns, self.rely)


PrimaryKeysChange = Union[PrimaryKeyDrop, PrimaryKeyAdd]  # noqa: UP007 - a union at run time


def _described(key: KeyState) -> str:
    """Write the name and the columns of a primary key, and whether queries may rely on it."""
    return f"{key.name} ({', '.join(key.columns)}){' rely' if key.rely else ''}"
