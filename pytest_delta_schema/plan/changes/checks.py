"""Changes of CHECK constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.plan.changes.kind import ChangeKind, declare
from pytest_delta_schema.plan.changes.lines import ABSENT, ADD, CHANGE, DROP, ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.state.states import CheckState

__all__ = ["CheckAdd", "CheckDrop", "CheckReplace"]


def _drop_lines(change: CheckDrop, _action: AlignTable) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, f"checks.{change.name}", change.expression, "(absent, which loosens the table)")


@declare(ChangeKind(aspect="checks", step=Step.DROP_CHECKS, risk=Risk.METADATA, describe=_drop_lines))
@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDrop:
    """Drop the CHECK constraint ``name``; rows that it refused may be written from now on."""

    name: str
    expression: str


def _replace_lines(change: CheckReplace, _action: AlignTable) -> Iterator[ChangeLine]:
    before, after = change.before, change.after
    if before.name.lower() != after.name.lower():
        yield ChangeLine(CHANGE, f"checks.{before.name}", before.name, f"{after.name} (renamed)")
    else:
        yield ChangeLine(CHANGE, f"checks.{before.name}", before.expression, after.expression)


@declare(
    ChangeKind(
        aspect="checks", step=Step.REPLACE_CHECKS, risk=Risk.SCAN, describe=_replace_lines, needs_data_check=True
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReplace:
    """Put ``after`` in the place of ``before``: dropped before the columns change, added after them.

    The same expression under two names is a renamed constraint; wholly equal ones step aside for the columns they name.
    """

    before: CheckState
    after: CheckState


def _add_lines(change: CheckAdd, _action: AlignTable) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, f"checks.{change.name}", ABSENT, change.expression)


@declare(ChangeKind(aspect="checks", step=Step.ADD_CHECKS, risk=Risk.SCAN, describe=_add_lines, needs_data_check=True))
@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAdd:
    """Add the CHECK constraint ``name``; all existing rows must satisfy it."""

    name: str
    expression: str


ChecksChange = Union[CheckDrop, CheckReplace, CheckAdd]  # noqa: UP007 - a union at run time
