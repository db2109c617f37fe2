"""Accept differences: what a table has becomes what its model wants, part by part."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.models.modes import IGNORE
from pytest_delta_schema.plan.aspects.properties import stored_key
from pytest_delta_schema.plan.changes import ColumnMove, ColumnNullabilityChange, SetTableComment
from pytest_delta_schema.plan.changes.kind import kind_of
from pytest_delta_schema.state.states import by_name
from pytest_delta_schema.state.types import children, edited_columns, find, with_children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


def accepted_state(wanted: TableState, stored: TableState, changes: Iterable[Change]) -> TableState:
    """Return what a model wants if each part of the table that a change names becomes as it is stored.

    The plan does not use the former names of columns. New columns come last, unless the order of columns is compared.
    """
    changes = tuple(changes)
    for change in changes:
        wanted = ACCEPT[kind_of(change).aspect](wanted, stored, change)
    in_order = wanted.column_order != IGNORE or any(isinstance(change, ColumnMove) for change in changes)
    return replace(wanted, columns=_in_order(wanted.columns, stored.columns)) if in_order else wanted


def property_keys(change: Any) -> Sequence[str]:
    """Return the keys of the properties that a change sets or removes; none for one of a different aspect."""
    if kind_of(change).aspect != "properties":
        return ()
    return tuple(getattr(change, "properties", ())) or tuple(getattr(change, "keys", ())) or (change.key,)


def _columns(wanted: TableState, stored: TableState, change: Any) -> TableState:
    if isinstance(change, ColumnMove):
        return wanted
    there = find(stored.columns, change.path)
    if isinstance(change, ColumnNullabilityChange) and there is not None:
        return _edited(wanted, change.path, lambda column: column._replace(is_nullable=there.is_nullable))
    if there is None:
        return _edited(wanted, change.path, lambda _: None)
    return _with_column(wanted, change.path.parent, _owned_column(there, wanted))


def _with_column(state: TableState, above: ColumnPath, column: ColumnState) -> TableState:
    """Return a state with a further column, or a further field of a struct, behind the others."""
    if not above:
        return replace(state, columns=(*state.columns, column))

    def with_field(parent: ColumnState) -> ColumnState:
        return parent._replace(data_type=with_children(parent.data_type, (*children(parent.data_type), column)))

    return _edited(state, above, with_field)


def _owned_column(column: ColumnState, wanted: TableState) -> ColumnState:
    """Return a stored column without what the contract ignores: its comments, or its default."""
    ignores_comments = wanted.ownership.get("comments") == IGNORE
    value = None if wanted.ownership.get("defaults") == IGNORE else column.value
    return column._replace(value=value) if not ignores_comments else _without_comments(column)._replace(value=value)


def _without_comments(column: ColumnState) -> ColumnState:
    parts = tuple(map(_without_comments, children(column.data_type)))
    data_type = with_children(column.data_type, parts) if parts else column.data_type
    return column._replace(comment="", data_type=data_type)


def _in_order(columns: tuple[ColumnState, ...], stored: tuple[ColumnState, ...]) -> tuple[ColumnState, ...]:
    """Return columns in the order in which they are stored; those that are not stored come last."""
    position = {folded(column.name): index for index, column in enumerate(stored)}
    return tuple(sorted(columns, key=lambda column: position.get(folded(column.name), len(position))))


def _types(wanted: TableState, stored: TableState, change: Any) -> TableState:
    there = find(stored.columns, change.path)
    if there is None:
        return wanted
    return _edited(
        wanted,
        change.path,
        lambda column: column._replace(data_type=_owned_column(there, wanted).data_type),
    )


def _defaults(wanted: TableState, stored: TableState, change: Any) -> TableState:
    path = getattr(change, "path", None) or ColumnPath(change.name)
    there = find(stored.columns, path)
    # A column that the table lacks is removed together with its default.
    if there is None:
        return wanted
    return _edited(wanted, path, lambda column: column._replace(value=there.value))


def _comments(wanted: TableState, stored: TableState, change: Any) -> TableState:
    if isinstance(change, SetTableComment):
        return replace(wanted, table_comment=stored.table_comment)
    for path in change.comments:
        there = find(stored.columns, path)
        if there is not None:
            wanted = _edited(wanted, path, _with_comment(there.comment))
    return wanted


def _edited(state: TableState, path: ColumnPath, edit: Callable[[ColumnState], ColumnState | None]) -> TableState:
    return replace(state, columns=edited_columns(state.columns, path.parts, edit))


def _with_comment(comment: str) -> Callable[[ColumnState], ColumnState]:
    return lambda column: column._replace(comment=comment)


def _constraints(name: str) -> Callable[[TableState, TableState, Any], TableState]:
    """Return what accepts a change of one of the constraints in a field of a state."""

    def accept(wanted: TableState, stored: TableState, change: Any) -> TableState:
        changed = folded(change.key.name if kind_of(change).key else change.name)
        kept = [constraint for constraint in getattr(wanted, name) if by_name(constraint) != changed]
        there = [constraint for constraint in getattr(stored, name) if by_name(constraint) == changed]
        both: Any = {name: tuple(sorted([*kept, *there], key=by_name))}
        return replace(wanted, **both)

    return accept


def _primary_key(wanted: TableState, stored: TableState, _change: Any) -> TableState:
    return replace(wanted, primary_key=stored.primary_key)


def _layout(wanted: TableState, stored: TableState, _change: Any) -> TableState:
    return replace(wanted, partitioning=stored.partitioning, clustering=stored.clustering)


def _properties(wanted: TableState, stored: TableState, change: Any) -> TableState:
    properties = dict(wanted.table_properties)
    for key in property_keys(change):
        declared, there = stored_key(key, properties), stored_key(key, stored.table_properties)
        if there is not None:
            properties[declared or key] = stored.table_properties[there]
        elif declared is not None:
            del properties[declared]
    return replace(wanted, table_properties=MappingProxyType(properties))


def _tags(wanted: TableState, stored: TableState, change: Any) -> TableState:
    there = stored.tags.get(change.path, {})
    tags = dict(wanted.tags.get(change.path, {}))
    for key in getattr(change, "tags", None) or change.keys:
        if key in there:
            tags[key] = there[key]
        else:
            tags.pop(key, None)
    others = {path: values for path, values in wanted.tags.items() if path != change.path}
    own = {change.path: MappingProxyType(tags)} if tags else {}
    return replace(wanted, tags=MappingProxyType({**others, **own}))


ACCEPT: Mapping[str, Callable[[TableState, TableState, Any], TableState]] = MappingProxyType(
    {
        "columns": _columns,
        "types": _types,
        "defaults": _defaults,
        "comments": _comments,
        "checks": _constraints("checks"),
        "primary_keys": _primary_key,
        "unique": _constraints("unique"),
        "foreign_keys": _constraints("foreign_keys"),
        "layout": _layout,
        "properties": _properties,
        "tags": _tags,
        # A model says nothing about files that are not converted.
        "conversion": lambda wanted, _stored, _change: wanted,
    }
)
"""How each aspect of a table becomes as it is stored."""
