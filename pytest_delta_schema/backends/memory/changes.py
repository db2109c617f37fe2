"""Create the state of a table, and apply each kind of change to it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, singledispatch
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import ColumnPath, folded, same_name
from pytest_delta_schema.delta.protocol import CLUSTERED
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.plan import changes
from pytest_delta_schema.plan.difference import new_names, with_names
from pytest_delta_schema.plan.kinds import KeyAdd, KeyDrop
from pytest_delta_schema.state.delta_log import decode_owned
from pytest_delta_schema.state.keys import keys_of, state_keys
from pytest_delta_schema.state.states import OWNED_PROPERTIES, CheckState, TableState, by_name
from pytest_delta_schema.state.types import ColumnGeneration, children, edited_columns, find, with_children

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.state.types import ColumnState


def _stored(check: CheckState) -> CheckState:
    """Return a check as Delta stores it: with a lower-case name."""
    return CheckState(folded(check.name), check.expression)


def new_table(action: CreateTable) -> TableState:
    """Return the state of a new table."""
    properties = dict(action.table_properties)
    owned = decode_owned(properties.pop(OWNED_PROPERTIES, None))
    return TableState(
        name=action.table,
        columns=action.columns,
        table_comment=action.table_comment,
        table_properties=MappingProxyType(properties),
        owned_properties=owned,
        checks=tuple(map(_stored, action.checks)),
        partitioning=action.partitioning,
        clustering=action.clustering,
        version=0,
    )


@singledispatch
def apply_change(change: object, state: TableState) -> TableState:
    """Return the state of a table after a change."""
    msg = f"the memory catalog does not know {type(change).__name__}, asked for {state.name}"
    raise NotImplementedError(msg)


@apply_change.register(changes.ColumnRename)
def _(change: changes.ColumnRename, state: TableState) -> TableState:
    names = new_names([change])
    layout = replace(
        _without_tags(state, change.path),
        partitioning=tuple(names.get(ColumnPath(name), name) for name in state.partitioning),
        clustering=tuple(with_names(path, names) for path in state.clustering),
    )
    return _edited(layout, change.path, lambda column: column._replace(name=change.to))


@apply_change.register(changes.ColumnAdd)
def _(change: changes.ColumnAdd, state: TableState) -> TableState:
    if not change.above:
        return replace(state, columns=_with_new(state.columns, change))

    def with_field(column: ColumnState) -> ColumnState:
        return column._replace(data_type=with_children(column.data_type, _with_new(children(column.data_type), change)))

    return _edited(state, change.above, with_field)


def _with_new(columns: tuple[ColumnState, ...], change: changes.ColumnAdd) -> tuple[ColumnState, ...]:
    """Add a column at the end, or after the column that the change names."""
    if change.after is None:
        return (*columns, change.bare)
    index = _position(columns, change.after) + 1 if change.after else 0
    return (*columns[:index], change.bare, *columns[index:])


@apply_change.register(changes.ColumnDrop)
def _(change: changes.ColumnDrop, state: TableState) -> TableState:
    return _edited(_without_tags(state, change.path), change.path, lambda _: None)


@apply_change.register(changes.ColumnTypeChange)
def _(change: changes.ColumnTypeChange, state: TableState) -> TableState:
    return _edited(state, change.path, lambda column: column._replace(data_type=change.after))


@apply_change.register(changes.ColumnNullabilityChange)
def _(change: changes.ColumnNullabilityChange, state: TableState) -> TableState:
    return _edited(state, change.path, lambda column: column._replace(is_nullable=change.is_nullable))


@apply_change.register(changes.ClusteringChange)
def _(change: changes.ClusteringChange, state: TableState) -> TableState:
    return _clustered(state, change.after)


@apply_change.register(changes.ConvertTable)
def _(_change: changes.ConvertTable, state: TableState) -> TableState:
    return replace(state, source=None, version=-1)


@apply_change.register(changes.LayoutRewrite)
def _(change: changes.LayoutRewrite, state: TableState) -> TableState:
    return _clustered(replace(state, partitioning=change.partitioning), change.clustering)


def _clustered(state: TableState, clustering: tuple[ColumnPath, ...]) -> TableState:
    properties = {**state.table_properties, **(CLUSTERED if clustering else {})}
    return replace(state, clustering=clustering, table_properties=MappingProxyType(properties))


@apply_change.register(changes.ColumnMove)
def _(change: changes.ColumnMove, state: TableState) -> TableState:
    columns = list(state.columns)
    moved = columns.pop(_position(columns, change.name))
    index = 0 if change.after is None else _position(columns, change.after) + 1
    return replace(state, columns=(*columns[:index], moved, *columns[index:]))


def _position(columns: Sequence[ColumnState], name: str) -> int:
    return [folded(column.name) for column in columns].index(folded(name))


@apply_change.register(changes.ColumnDefaultChange)
def _(change: changes.ColumnDefaultChange, state: TableState) -> TableState:
    return _edited(state, change.path, partial(_with_default, change.after))


def _with_default(default: str | None, column: ColumnState) -> ColumnState:
    value = (column.value or ColumnGeneration())._replace(default=default)
    return column._replace(value=value if value != ColumnGeneration() else None)


@apply_change.register(changes.SetColumnComments)
def _(change: changes.SetColumnComments, state: TableState) -> TableState:
    for path, comment in change.comments.items():
        state = _edited(state, path, partial(_commented, comment))
    return state


def _commented(comment: str, column: ColumnState) -> ColumnState:
    return column._replace(comment=comment)


@apply_change.register(changes.SetTableComment)
def _(change: changes.SetTableComment, state: TableState) -> TableState:
    return replace(state, table_comment=change.comment)


@apply_change.register(changes.CheckAdd)
def _(change: changes.CheckAdd, state: TableState) -> TableState:
    added = _stored(CheckState(change.name, change.expression))
    return replace(state, checks=tuple(sorted([*state.checks, added], key=by_name)))


@apply_change.register(changes.CheckDrop)
def _(change: changes.CheckDrop, state: TableState) -> TableState:
    return replace(state, checks=tuple(c for c in state.checks if not same_name(c.name, change.name)))


@apply_change.register(KeyAdd)
@apply_change.register(KeyDrop)
def _(change: KeyAdd | KeyDrop, state: TableState) -> TableState:
    kept = [key for key in keys_of(state) if not same_name(key.name, change.key.name)]
    return replace(state, **state_keys([change.key, *kept] if isinstance(change, KeyAdd) else kept))


@apply_change.register(changes.SetTableProperties)
def _(change: changes.SetTableProperties, state: TableState) -> TableState:
    properties = dict(change.properties)
    owned = properties.pop(OWNED_PROPERTIES, None)
    record = state.owned_properties if owned is None else decode_owned(owned)
    merged = MappingProxyType({**state.table_properties, **properties})
    return replace(state, table_properties=merged, owned_properties=record)


@apply_change.register(changes.UnsetTableProperties)
def _(change: changes.UnsetTableProperties, state: TableState) -> TableState:
    kept = {key: value for key, value in state.table_properties.items() if key not in change.keys}
    record = None if OWNED_PROPERTIES in change.keys else state.owned_properties
    return replace(state, table_properties=MappingProxyType(kept), owned_properties=record)


@apply_change.register(changes.ColumnMappingRemoval)
def _(change: changes.ColumnMappingRemoval, state: TableState) -> TableState:
    kept = {key: value for key, value in state.table_properties.items() if key != change.key}
    mode = {} if change.after is None else {change.key: change.after}
    return replace(state, table_properties=MappingProxyType({**kept, **mode}))


@apply_change.register(changes.SetTags)
def _(change: changes.SetTags, state: TableState) -> TableState:
    if change.path:
        _require_column(state, change.path)
    return _tagged(state, change.path, {**state.tags.get(change.path, {}), **change.tags})


@apply_change.register(changes.UnsetTags)
def _(change: changes.UnsetTags, state: TableState) -> TableState:
    kept = {key: value for key, value in state.tags.get(change.path, {}).items() if key not in change.keys}
    return _tagged(state, change.path, kept)


def _tagged(state: TableState, path: ColumnPath, tags: Mapping[str, str | None]) -> TableState:
    others = {other: values for other, values in state.tags.items() if other != path}
    every = {**others, path: MappingProxyType(dict(sorted(tags.items())))} if tags else others
    return replace(state, tags=MappingProxyType(dict(sorted(every.items()))))


def _without_tags(state: TableState, path: ColumnPath) -> TableState:
    """Return the state without the tags of a column that is dropped or renamed."""
    return _tagged(state, path, {}) if path in state.tags else state


def _require_column(state: TableState, path: ColumnPath) -> None:
    if find(state.columns, path) is None:
        msg = f"{state.name}: there is no column {path}; read the table again and make a new plan"
        raise StatementError(msg, condition="UNRESOLVED_COLUMN")


def _edited(state: TableState, path: ColumnPath, edit: Callable[[ColumnState], ColumnState | None]) -> TableState:
    """Return the state with one column or field edited; it is removed if ``edit`` returns ``None``."""
    _require_column(state, path)
    return replace(state, columns=edited_columns(state.columns, path.parts, edit))
