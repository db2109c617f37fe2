"""Changes of checks, primary keys, UNIQUE constraints and foreign keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import part_path, same_name
from pytest_delta_schema.delta.protocol import loss
from pytest_delta_schema.plan.kinds import DROP, Change, ChangeLine, EnablingChange, KeyAdd, KeyDrop, Risk, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState, TableState


def _fate(change: CheckDrop) -> str:
    new = change.replaced_by
    if new is None:
        return "(absent, which loosens the table)"
    if not same_name(new.name, change.name):
        return f"(renamed to {new.name})"
    return "(dropped and added again)" if new.expression == change.expression else "(replaced)"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDrop(Change):
    """The table has a CHECK constraint that the model does not declare.

    Writes that it refuses would be accepted after the apply. A check with another condition than declared is dropped
    and added again, and has this code and DD110.

    Remedy: Declare the check, or apply the model.

    Example:
        columns = [Column("id", "bigint")]
        stored = Table("dev", "silver", "orders", columns, checks=[Check("positive", "id > 0")])
        model = Table("dev", "silver", "orders", columns)

    Args:
        name: As stored.
        expression: As stored.
        replaced_by: The check that the same plan adds for it: the same one if only its columns change.
    """

    code = "DD111"
    drift = "UndeclaredCheck"
    aspect = "checks"
    step = Step.DROP_CHECKS
    own_risk = Risk.METADATA

    name: str
    expression: str
    replaced_by: CheckState | None = None

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        yield ChangeLine(DROP, part_path("checks", self.name), self.expression, _fate(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAdd(EnablingChange):
    """A declared CHECK constraint is not in the table, or has another condition there.

    Rows that violate it forbid the apply.

    Remedy: Apply the model, or remove the check from the model.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        columns = [Column("id", "bigint")]
        model = Table("dev", "silver", "orders", columns, checks=[Check("positive", "id > 0")])

    Args:
        name: As declared.
        expression: As declared.
        replaces: The check that the same plan drops for it.
        enables: What it enables in the protocol of the table.
    """

    code = "DD110"
    drift = "CheckMissing"
    aspect = "checks"
    step = Step.ADD_CHECKS
    own_risk = Risk.SCAN

    name: str
    expression: str
    replaces: CheckState | None = None

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        yield ChangeLine.of(part_path("checks", self.name), None, self.expression, loss=loss(self.enables))

    def _features(self) -> Iterable[str]:
        return ("checkConstraints",)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryKeyDrop(KeyDrop):
    """The table has a primary key that the model does not declare.

    A key over other columns than declared is dropped and added again, and has this code and DD112.

    Remedy: Declare the key (``primary_key``), or apply the model.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        stored = Table("dev", "silver", "orders", columns, primary_key=["id"])
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DD113"
    drift = "UndeclaredPrimaryKey"
    aspect = "primary_keys"
    step = Step.DROP_PRIMARY_KEY

    key: KeyState


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryKeyAdd(KeyAdd):
    """The declared primary key is not in the table, or has other columns there.

    Rows with equal values in it, or with NULL, forbid the apply.

    Remedy: Apply the model, or remove the key from the model.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
        columns = [Column("id", "bigint", is_nullable=False)]
        model = Table("dev", "silver", "orders", columns, primary_key=["id"])
    """

    code = "DD112"
    drift = "PrimaryKeyMissing"
    aspect = "primary_keys"
    step = Step.ADD_PRIMARY_KEY

    key: KeyState


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueDrop(KeyDrop):
    """The table has a UNIQUE constraint that the model does not declare.

    Remedy: Declare it (``unique``), or apply the model.

    Example:
        columns = [Column("number", "int")]
        stored = Table("dev", "silver", "orders", columns, unique=[Unique(["number"])])
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DD117"
    drift = "UndeclaredUnique"
    aspect = "unique"
    step = Step.DROP_UNIQUE

    key: KeyState


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueAdd(KeyAdd):
    """A declared UNIQUE constraint is not in the table, or has other columns there.

    Rows with equal values in it forbid the apply.

    Remedy: Apply the model, or remove the constraint from the model.

    Example:
        columns = [Column("number", "int")]
        stored = Table("dev", "silver", "orders", columns)
        model = Table("dev", "silver", "orders", columns, unique=[Unique(["number"])])
    """

    code = "DD116"
    drift = "UniqueMissing"
    aspect = "unique"
    step = Step.ADD_UNIQUE

    key: KeyState


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyDrop(KeyDrop):
    """The table has a foreign key that the model does not declare.

    A declared one is dropped and added again, too, when the key of its parent changes; it then has this code and DD114.

    Remedy: Declare the key (``foreign_keys``), or apply the model.

    Example:
        columns = [Column("id", "int", is_nullable=False)]
        parent = Table("dev", "silver", "regions", columns, primary_key=["id"])
        key = ForeignKey(["region"], references=parent)
        stored = Table("dev", "silver", "orders", [Column("region", "int")], foreign_keys=[key])
        model = Table("dev", "silver", "orders", [Column("region", "int")])
    """

    code = "DD115"
    drift = "UndeclaredForeignKey"
    aspect = "foreign_keys"
    step = Step.DROP_FOREIGN_KEYS

    key: ForeignKeyState


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyAdd(KeyAdd):
    """A declared foreign key is not in the table, or references something else there.

    Rows without a parent forbid the apply.

    Remedy: Apply the model, or remove the key from the model.

    Example:
        columns = [Column("id", "int", is_nullable=False)]
        parent = Table("dev", "silver", "regions", columns, primary_key=["id"])
        key = ForeignKey(["region"], references=parent)
        stored = Table("dev", "silver", "orders", [Column("region", "int")])
        model = Table("dev", "silver", "orders", [Column("region", "int")], foreign_keys=[key])
    """

    code = "DD114"
    drift = "ForeignKeyMissing"
    aspect = "foreign_keys"
    step = Step.ADD_FOREIGN_KEYS

    key: ForeignKeyState
