"""Changes of UNIQUE constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.change_markers import ABSENT, ADD, DROP
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare, require_change
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.state.states import KeyState, TableState

__all__ = ["UniqueAdd", "UniqueDrop"]


def _drop_lines(change: UniqueDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, part_path("unique", change.key.name), _described(change.key), ABSENT)


class UndeclaredUnique:
    """The table has a UNIQUE constraint that the model does not declare.

    Remedy: Declare it (``unique``), or apply the model.

    Example:
        columns = [Column("number", "int")]
        stored = Table("dev", "silver", "orders", columns, unique=[Unique(["number"])])
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DD117"


@declare(
    ChangeKind(
        aspect="unique",
        drift=UndeclaredUnique,
        step=Step.DROP_UNIQUE,
        risk=Risk.METADATA,
        describe=_drop_lines,
        key="drop",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueDrop:
    """Drop a UNIQUE constraint."""

    key: KeyState


def _add_lines(change: UniqueAdd, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, part_path("unique", change.key.name), ABSENT, _described(change.key))


class UniqueMissing:
    """A declared UNIQUE constraint is not in the table, or has other columns there.

    Rows with equal values in it forbid the apply.

    Remedy: Apply the model, or remove the constraint from the model.

    Example:
        columns = [Column("number", "int")]
        stored = Table("dev", "silver", "orders", columns)
        model = Table("dev", "silver", "orders", columns, unique=[Unique(["number"])])
    """

    code = "DD116"


@declare(
    ChangeKind(
        aspect="unique",
        drift=UniqueMissing,
        step=Step.ADD_UNIQUE,
        risk=Risk.SCAN,
        describe=_add_lines,
        needs_data_check=True,
        key="add",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueAdd:
    """Add a UNIQUE constraint over at least one column."""

    key: KeyState

    def __post_init__(self) -> None:
        require_change(self, bool(self.key.columns))


UniqueChange = Union[UniqueDrop, UniqueAdd]  # noqa: UP007 - a union at run time


def _described(key: KeyState) -> str:
    return f"({', '.join(key.columns)})"
