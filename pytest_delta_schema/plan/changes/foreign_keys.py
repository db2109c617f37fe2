"""Changes of foreign keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.change_markers import ABSENT, ADD, DROP
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.state.states import ForeignKeyState, TableState

__all__ = ["ForeignKeyAdd", "ForeignKeyDrop"]


def _drop_lines(change: ForeignKeyDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, part_path("foreign_keys", change.key.name), describe_foreign_key(change.key), ABSENT)


class UndeclaredForeignKey:
    """The table has a foreign key that the model does not declare.

    A declared one is dropped and added again, too, when the key of its parent changes; it then has this code and DD114.

    Remedy: Declare the key (``foreign_keys``), or apply the model.

    Example:
        parent = Table(
            "dev", "silver", "regions", [Column("id", "int", is_nullable=False)], primary_key=["id"]
        )
        key = ForeignKey(["region"], references=parent)
        stored = Table("dev", "silver", "orders", [Column("region", "int")], foreign_keys=[key])
        model = Table("dev", "silver", "orders", [Column("region", "int")])
    """

    code = "DD115"


@declare(
    ChangeKind(
        aspect="foreign_keys",
        drift=UndeclaredForeignKey,
        step=Step.DROP_FOREIGN_KEYS,
        risk=Risk.METADATA,
        describe=_drop_lines,
        key="drop",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyDrop:
    """Drop a foreign key; a wanted one is dropped and added again when its parent's primary key changes."""

    key: ForeignKeyState


def _add_lines(change: ForeignKeyAdd, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, part_path("foreign_keys", change.key.name), ABSENT, describe_foreign_key(change.key))


class ForeignKeyMissing:
    """A declared foreign key is not in the table, or references something else there.

    Rows without a parent forbid the apply.

    Remedy: Apply the model, or remove the key from the model.

    Example:
        parent = Table(
            "dev", "silver", "regions", [Column("id", "int", is_nullable=False)], primary_key=["id"]
        )
        key = ForeignKey(["region"], references=parent)
        stored = Table("dev", "silver", "orders", [Column("region", "int")])
        model = Table("dev", "silver", "orders", [Column("region", "int")], foreign_keys=[key])
    """

    code = "DD114"


@declare(
    ChangeKind(
        aspect="foreign_keys",
        drift=ForeignKeyMissing,
        step=Step.ADD_FOREIGN_KEYS,
        risk=Risk.SCAN,
        describe=_add_lines,
        needs_data_check=True,
        key="add",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyAdd:
    """Add a foreign key, after all other changes of its table and of its parent."""

    key: ForeignKeyState


ForeignKeysChange = Union[ForeignKeyDrop, ForeignKeyAdd]  # noqa: UP007 - a union at run time


def describe_foreign_key(key: ForeignKeyState) -> str:
    """Write a foreign key: ``(customer_id) references dev.silver.customers (id)``."""
    parent_columns = f" ({', '.join(key.parent_columns)})" if key.parent_columns else ""
    return f"({', '.join(key.columns)}) references {key.parent}{parent_columns}{' rely' if key.rely else ''}"
