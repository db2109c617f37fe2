"""The two states of one table between which a stream lives on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import is_on
from pytest_delta_schema.diagnostics.errors import DeclarationError, Diagnostic
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.aspects.types import as_created
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.states import TableState
from pytest_delta_schema.write_check.streams.verdict import StreamVerdict

if TYPE_CHECKING:
    from pytest_delta_schema.write_check.streams.verdict import StreamKind

_CHANGE_FEED = "delta.enableChangeDataFeed"


def require_models(function: str, old: object, new: object) -> None:
    """Raise unless the arguments are models.

    Raises:
        DeclarationError: If one is something else.
    """
    for which, table in (("old", old), ("new", new)):
        if not isinstance(table, Table):
            refuse_kind(function, "a Table", table, f"give a model as {which}")


def stream_pair(function: str, old: object, new: object) -> tuple[TableState, TableState]:
    """Return the states of a table before and after a change, which models or states give.

    Raises:
        DeclarationError: If one is something else, or they are two tables.
    """
    before, after = (_state(function, which, table) for which, table in (("old", old), ("new", new)))
    if isinstance(old, Table):
        before = as_created(before)
    if before.name != after.name:
        msg = f"{function}: old is {before.name}, and new is {after.name}; give one table before and after its change"
        raise DeclarationError(msg)
    return before, after


def without_feed(old: TableState, kind: StreamKind) -> StreamVerdict | None:
    """Return the verdict on a stream of changes from a table that has no change data feed; ``None`` for all others."""
    if kind != "change-feed" or is_on(_CHANGE_FEED, old.table_properties):
        return None
    message = "the table has no change data feed before the change, so no stream reads it"
    return not_judged(old, kind, "no-change-feed", message, f"declare {_CHANGE_FEED} = 'true' in the old model")


def not_judged(old: TableState, kind: StreamKind, rule: str, message: str, remedy: str) -> StreamVerdict:
    """Return a verdict that says why a stream is not judged."""
    finding = Diagnostic(severity="note", rule=rule, table=str(old.name), message=message, remedy=remedy)
    return StreamVerdict(table=str(old.name), kind=kind, answer="not judged", findings=(finding,))


def _state(function: str, which: str, table: object) -> TableState:
    if isinstance(table, TableState):
        return table
    if not isinstance(table, Table):
        refuse_kind(function, "a Table or a TableState", table, f"give a model or a state as {which}")
    return desired_state(table)
