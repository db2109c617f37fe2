"""Create the state of a table, and apply each kind of change to it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import ColumnPath, folded, same_name
from pytest_delta_schema.delta.protocol import CLUSTERED
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.difference import new_names, with_names
from pytest_delta_schema.plan.kinds import KeyAdd, KeyDrop
from pytest_delta_schema.state.delta_log import decode_owned
from pytest_delta_schema.state.keys import keys_of, state_keys
from pytest_delta_schema.state.states import OWNED_PROPERTIES, CheckState, TableState, by_name
from pytest_delta_schema.state.types import NO_GENERATION, children, edited_columns, find, with_children

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.state.states import ForeignKeyState, KeyState
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


def apply_change(change: object, state: TableState) -> TableState:  # noqa: C901, PLR0911, PLR0912 - one answer a kind
    """Return the state of a table after a change."""
    match change:
        case kinds.ColumnRename(path=path):
            names = new_names([change])
            layout = replace(
                _tagged(state, path, {}),
                partitioning=tuple(names.get(ColumnPath(name), name) for name in state.partitioning),
                clustering=tuple(with_names(column, names) for column in state.clustering),
            )
            return _edited(layout, path, lambda column: column._replace(name=change.to))
        case kinds.ColumnAdd(above=above) if above:
            return _edited(state, above, lambda column: _with_field(column, change))
        case kinds.ColumnAdd():
            return replace(state, columns=_with_new(state.columns, change))
        case kinds.ColumnDrop(path=path):
            return _edited(_tagged(state, path, {}), path, lambda _: None)
        case kinds.ColumnTypeChange(path=path):
            return _edited(state, path, lambda column: column._replace(data_type=change.after))
        case kinds.ColumnNullabilityChange(path=path):
            return _edited(state, path, lambda column: column._replace(is_nullable=change.is_nullable))
        case kinds.ColumnDefaultChange(path=path):
            return _edited(state, path, partial(_with_default, change.after))
        case kinds.ColumnMove(name=name, after=after):
            columns = list(state.columns)
            moved = columns.pop(_position(columns, name))
            columns.insert(0 if after is None else _position(columns, after) + 1, moved)
            return replace(state, columns=tuple(columns))
        case kinds.ClusteringChange(after=clustering):
            return _clustered(state, clustering)
        case kinds.LayoutRewrite(partitioning=partitioning, clustering=clustering):
            return _clustered(replace(state, partitioning=partitioning), clustering)
        case kinds.ConvertTable():
            return replace(state, source=None, version=-1)
        case kinds.SetColumnComments(comments=comments):
            for path, comment in comments.items():
                state = _edited(state, path, partial(_commented, comment))
            return state
        case kinds.SetTableComment(comment=comment):
            return replace(state, table_comment=comment)
        case kinds.CheckAdd(name=name, expression=expression):
            added = _stored(CheckState(name, expression))
            return replace(state, checks=tuple(sorted([*state.checks, added], key=by_name)))
        case kinds.CheckDrop(name=name):
            return replace(state, checks=tuple(check for check in state.checks if not same_name(check.name, name)))
        case KeyAdd(key=key):
            return replace(state, **state_keys([key, *_keys_but(state, key.name)]))
        case KeyDrop(key=key):
            return replace(state, **state_keys(_keys_but(state, key.name)))
        case kinds.SetTableProperties(properties=properties):
            owned = properties.get(OWNED_PROPERTIES)
            record = state.owned_properties if owned is None else decode_owned(owned)
            return replace(_with_properties(state, properties), owned_properties=record)
        case kinds.UnsetTableProperties(keys=keys):
            record = None if OWNED_PROPERTIES in keys else state.owned_properties
            return replace(_with_properties(state, {}, keys), owned_properties=record)
        case kinds.ColumnMappingRemoval(key=mode, after=after):
            return _with_properties(state, {} if after is None else {mode: after}, (mode,))
        case kinds.SetTags(path=path, tags=tags):
            if path:
                _require_column(state, path)
            return _tagged(state, path, {**state.tags.get(path, {}), **tags})
        case kinds.UnsetTags(path=path, keys=keys):
            kept = {key: value for key, value in state.tags.get(path, {}).items() if key not in keys}
            return _tagged(state, path, kept)
    msg = f"the memory catalog does not know {type(change).__name__}, asked for {state.name}"
    raise NotImplementedError(msg)


def _with_field(column: ColumnState, change: kinds.ColumnAdd) -> ColumnState:
    return column._replace(data_type=with_children(column.data_type, _with_new(children(column.data_type), change)))


def _with_new(columns: tuple[ColumnState, ...], change: kinds.ColumnAdd) -> tuple[ColumnState, ...]:
    """Add a column at the end, or after the column that the change names."""
    if change.after is None:
        return (*columns, change.bare)
    index = _position(columns, change.after) + 1 if change.after else 0
    return (*columns[:index], change.bare, *columns[index:])


def _position(columns: Sequence[ColumnState], name: str) -> int:
    return [folded(column.name) for column in columns].index(folded(name))


def _with_default(default: str | None, column: ColumnState) -> ColumnState:
    value = (column.value or NO_GENERATION)._replace(default=default)
    return column._replace(value=value if any(part is not None for part in value) else None)


def _commented(comment: str, column: ColumnState) -> ColumnState:
    return column._replace(comment=comment)


def _clustered(state: TableState, clustering: tuple[ColumnPath, ...]) -> TableState:
    return _with_properties(replace(state, clustering=clustering), CLUSTERED if clustering else {})


def _with_properties(state: TableState, added: Mapping[str, str], removed: Collection[str] = ()) -> TableState:
    kept = {key: value for key, value in state.table_properties.items() if key not in removed}
    given = {key: value for key, value in added.items() if key != OWNED_PROPERTIES}
    return replace(state, table_properties=MappingProxyType({**kept, **given}))


def _keys_but(state: TableState, name: str) -> list[KeyState | ForeignKeyState]:
    return [key for key in keys_of(state) if not same_name(key.name, name)]


def _tagged(state: TableState, path: ColumnPath, tags: Mapping[str, str | None]) -> TableState:
    others = {other: values for other, values in state.tags.items() if other != path}
    every = {**others, path: MappingProxyType(dict(sorted(tags.items())))} if tags else others
    return replace(state, tags=MappingProxyType(dict(sorted(every.items()))))


def _require_column(state: TableState, path: ColumnPath) -> None:
    if find(state.columns, path) is None:
        msg = f"{state.name}: there is no column {path}; read the table again and make a new plan"
        raise StatementError(msg, condition="UNRESOLVED_COLUMN")


def _edited(state: TableState, path: ColumnPath, edit: Callable[[ColumnState], ColumnState | None]) -> TableState:
    """Return the state with one column or field edited; it is removed if ``edit`` returns ``None``."""
    _require_column(state, path)
    return replace(state, columns=edited_columns(state.columns, path.parts, edit))
