"""Changes of CHECK constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.features import loss
from pytest_delta_schema.delta.names.folded_names import same_name
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.change_markers import ABSENT, ADD, DROP
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.state.states import CheckState, TableState

__all__ = ["CheckAdd", "CheckDrop"]


def _drop_lines(change: CheckDrop, _observed: TableState) -> Iterator[ChangeLine]:
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
    ChangeKind(aspect="checks", drift=UndeclaredCheck, step=Step.DROP_CHECKS, risk=Risk.METADATA, describe=_drop_lines)
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


def _add_lines(change: CheckAdd, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, part_path("checks", change.name), ABSENT, change.expression, loss=loss(change.enables))


def _add_features(_change: CheckAdd) -> tuple[str, ...]:
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
        describe=_add_lines,
        features=_add_features,
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


ChecksChange = Union[CheckDrop, CheckAdd]  # noqa: UP007 - a union at run time
