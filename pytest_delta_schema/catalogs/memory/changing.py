"""What each change makes of the state of a table."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from pytest_delta_schema.errors import BackendFailure
from pytest_delta_schema.plan import changes
from pytest_delta_schema.state.states import CheckState, KeyState, by_name
from pytest_delta_schema.state.types import StructState

if TYPE_CHECKING:
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


def stored(check: CheckState) -> CheckState:
    """Return a check as Delta keeps it: under its name in lower case."""
    return CheckState(check.name.lower(), check.expression)


@singledispatch
def changed(change: object, state: TableState) -> TableState:
    """Return ``state`` after ``change``.

    Raises:
        BackendFailure: If it changes something that is not there.
    """
    msg = f"the memory catalog does not know {type(change).__name__}, asked for {state.name}"
    raise NotImplementedError(msg)


@changed.register(changes.ColumnAdd)
def _(change: changes.ColumnAdd, state: TableState) -> TableState:
    return replace(state, columns=(*state.columns, change.column._replace(comment="")))


@changed.register(changes.ColumnDrop)
def _(change: changes.ColumnDrop, state: TableState) -> TableState:
    _find(state, change.column.name)
    dropped = change.column.name.lower()
    return replace(state, columns=tuple(column for column in state.columns if column.name.lower() != dropped))


@changed.register(changes.ColumnTypeChange)
def _(change: changes.ColumnTypeChange, state: TableState) -> TableState:
    return _with(state, _find(state, change.name)._replace(data_type=change.after))


@changed.register(changes.ColumnNullabilityChange)
def _(change: changes.ColumnNullabilityChange, state: TableState) -> TableState:
    return _with(state, _nullable(_find(state, change.name), change.fields, is_nullable=change.is_nullable))


def _nullable(column: ColumnState, fields: tuple[str, ...], *, is_nullable: bool) -> ColumnState:
    if not fields:
        return column._replace(is_nullable=is_nullable)
    struct = cast("StructState", column.data_type)
    below = tuple(
        _nullable(each, fields[1:], is_nullable=is_nullable) if each.name == fields[0] else each
        for each in struct.fields
    )
    return column._replace(data_type=StructState(below))


@changed.register(changes.SetColumnComments)
def _(change: changes.SetColumnComments, state: TableState) -> TableState:
    for name, comment in change.comments.items():
        state = _with(state, _find(state, name)._replace(comment=comment))
    return state


@changed.register(changes.SetTableComment)
def _(change: changes.SetTableComment, state: TableState) -> TableState:
    return replace(state, table_comment=change.comment)


@changed.register(changes.CheckAdd)
def _(change: changes.CheckAdd, state: TableState) -> TableState:
    added = stored(CheckState(change.name, change.expression))
    return replace(state, checks=tuple(sorted([*state.checks, added], key=by_name)))


@changed.register(changes.CheckDrop)
def _(change: changes.CheckDrop, state: TableState) -> TableState:
    return replace(state, checks=tuple(c for c in state.checks if c.name.lower() != change.name.lower()))


@changed.register(changes.PrimaryKeyAdd)
def _(change: changes.PrimaryKeyAdd, state: TableState) -> TableState:
    return replace(state, primary_key=KeyState(change.name, change.columns))


@changed.register(changes.PrimaryKeyDrop)
def _(_change: changes.PrimaryKeyDrop, state: TableState) -> TableState:
    return replace(state, primary_key=None)


@changed.register(changes.ForeignKeyAdd)
def _(change: changes.ForeignKeyAdd, state: TableState) -> TableState:
    return replace(state, foreign_keys=tuple(sorted([*state.foreign_keys, change.key], key=by_name)))


@changed.register(changes.ForeignKeyDrop)
def _(change: changes.ForeignKeyDrop, state: TableState) -> TableState:
    dropped = change.key.name.lower()
    return replace(state, foreign_keys=tuple(key for key in state.foreign_keys if key.name.lower() != dropped))


@changed.register(changes.SetTableProperties)
def _(change: changes.SetTableProperties, state: TableState) -> TableState:
    return replace(state, table_properties=MappingProxyType({**state.table_properties, **change.properties}))


@changed.register(changes.UnsetTableProperties)
def _(change: changes.UnsetTableProperties, state: TableState) -> TableState:
    kept = {key: value for key, value in state.table_properties.items() if key not in change.keys}
    return replace(state, table_properties=MappingProxyType(kept))


def _find(state: TableState, name: str) -> ColumnState:
    for column in state.columns:
        if column.name.lower() == name.lower():
            return column
    msg = f"{state.name}: there is no column {name}; read the table again and make a new plan"
    raise BackendFailure(msg, condition="UNRESOLVED_COLUMN")


def _with(state: TableState, changed: ColumnState) -> TableState:
    key = changed.name.lower()
    return replace(state, columns=tuple(changed if column.name.lower() == key else column for column in state.columns))
