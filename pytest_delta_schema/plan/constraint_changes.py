"""Changes of checks, primary keys, UNIQUE constraints and foreign keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.names import part_path, same_name
from pytest_delta_schema.delta.protocol import loss
from pytest_delta_schema.plan.kinds import (
    ABSENT,
    ADD,
    DROP,
    ChangeKind,
    ChangeLine,
    Risk,
    Step,
    declare,
    require_change,
)
from pytest_delta_schema.state.states import KeyState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.state.states import CheckState, ForeignKeyState, TableState


__all__ = [
    "CheckAdd",
    "CheckDrop",
    "ForeignKeyAdd",
    "ForeignKeyDrop",
    "PrimaryKeyAdd",
    "PrimaryKeyDrop",
    "UniqueAdd",
    "UniqueDrop",
]


def _check_drop_lines(change: CheckDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, part_path("checks", change.name), change.expression, _fate(change))


def _fate(change: CheckDrop) -> str:
    new = change.replaced_by
    if new is None:
        return "(absent, which loosens the table)"
    if not same_name(new.name, change.name):
        return f"(renamed to {new.name})"
    return "(dropped and added again)" if new.expression == change.expression else "(replaced)"


class UndeclaredCheck:
    """The table has a CHECK constraint that the model does not declare.

    Writes that it refuses would be accepted after the apply. A check with another condition than declared is dropped
    and added again, and has this code and DD110.

    Remedy: Declare the check, or apply the model.

    Example:
        stored = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], checks=[Check("positive", "id > 0")]
        )
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DD111"


@declare(
    ChangeKind(
        aspect="checks", drift=UndeclaredCheck, step=Step.DROP_CHECKS, risk=Risk.METADATA, describe=_check_drop_lines
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDrop:
    """Drop the CHECK constraint ``name``; rows that it refused may be written from now on.

    Args:
        name: As stored.
        expression: As stored.
        replaced_by: The check that the same plan adds for it: the same one if only its columns change.
    """

    name: str
    expression: str
    replaced_by: CheckState | None = None


def _check_add_lines(change: CheckAdd, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, part_path("checks", change.name), ABSENT, change.expression, loss=loss(change.enables))


def _check_features(_change: CheckAdd) -> tuple[str, ...]:
    return ("checkConstraints",)


class CheckMissing:
    """A declared CHECK constraint is not in the table, or has another condition there.

    Rows that violate it forbid the apply.

    Remedy: Apply the model, or remove the check from the model.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], checks=[Check("positive", "id > 0")]
        )
    """

    code = "DD110"


@declare(
    ChangeKind(
        aspect="checks",
        drift=CheckMissing,
        step=Step.ADD_CHECKS,
        risk=Risk.SCAN,
        describe=_check_add_lines,
        features=_check_features,
        needs_data_check=True,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAdd:
    """Add the CHECK constraint ``name``; all existing rows must satisfy it.

    Args:
        name: As declared.
        expression: As declared.
        replaces: The check that the same plan drops for it.
        enables: What it enables in the protocol of the table.
    """

    name: str
    expression: str
    replaces: CheckState | None = None
    enables: tuple[str, ...] = ()


def _primary_key_drop_lines(change: PrimaryKeyDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, part_path("primary_key"), _described_primary_key(change.key), ABSENT)


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
        describe=_primary_key_drop_lines,
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


def _primary_key_add_lines(change: PrimaryKeyAdd, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, part_path("primary_key"), ABSENT, _described_primary_key(change.key))


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
        describe=_primary_key_add_lines,
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


def _described_primary_key(key: KeyState) -> str:
    """Write the name and the columns of a primary key, and whether queries may rely on it."""
    return f"{key.name} ({', '.join(key.columns)}){' rely' if key.rely else ''}"


def _unique_drop_lines(change: UniqueDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, part_path("unique", change.key.name), _described_unique(change.key), ABSENT)


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
        describe=_unique_drop_lines,
        key="drop",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueDrop:
    """Drop a UNIQUE constraint."""

    key: KeyState


def _unique_add_lines(change: UniqueAdd, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, part_path("unique", change.key.name), ABSENT, _described_unique(change.key))


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
        describe=_unique_add_lines,
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


def _described_unique(key: KeyState) -> str:
    return f"({', '.join(key.columns)})"


def _foreign_key_drop_lines(change: ForeignKeyDrop, _observed: TableState) -> Iterator[ChangeLine]:
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
        describe=_foreign_key_drop_lines,
        key="drop",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyDrop:
    """Drop a foreign key; a wanted one is dropped and added again when its parent's primary key changes."""

    key: ForeignKeyState


def _foreign_key_add_lines(change: ForeignKeyAdd, _observed: TableState) -> Iterator[ChangeLine]:
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
        describe=_foreign_key_add_lines,
        needs_data_check=True,
        key="add",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyAdd:
    """Add a foreign key, after all other changes of its table and of its parent."""

    key: ForeignKeyState


def describe_foreign_key(key: ForeignKeyState) -> str:
    """Write a foreign key: ``(customer_id) references dev.silver.customers (id)``."""
    parent_columns = f" ({', '.join(key.parent_columns)})" if key.parent_columns else ""
    return f"({', '.join(key.columns)}) references {key.parent}{parent_columns}{' rely' if key.rely else ''}"


AnyConstraintChange = Union[  # noqa: UP007 - a union at run time
    CheckAdd,
    CheckDrop,
    ForeignKeyAdd,
    ForeignKeyDrop,
    PrimaryKeyAdd,
    PrimaryKeyDrop,
    UniqueAdd,
    UniqueDrop,
]
