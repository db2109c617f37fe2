"""The row of the table of verdicts for each change of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.compatibility.faults.column_faults import (
    CollationChanged,
    ColumnMoved,
    ColumnRemoved,
    ColumnRenamed,
    DefaultChanged,
    FieldAdded,
    GenerationChanged,
    LengthShortened,
    NullableColumnAdded,
    NullAllowed,
    NullForbidden,
    RequiredColumnAdded,
    TypeChanged,
    TypeWidened,
)
from pytest_delta_schema.compatibility.faults.constraint_faults import (
    CheckAdded,
    CheckDropped,
    ConstraintKeyAdded,
    ConstraintKeyDropped,
    RelyAdded,
    RelyKeyAdded,
)
from pytest_delta_schema.compatibility.faults.table_faults import (
    AppendOnlyDisabled,
    ChangeFeedDisabled,
    ClusteringChanged,
    ColumnMappingDropped,
    CommentChanged,
    CommitsManagedByCatalog,
    ConvertedToDelta,
    FeatureEnabled,
    PartitioningChanged,
    PropertyChanged,
    RetentionShortened,
    TagChanged,
)
from pytest_delta_schema.delta.features import APPEND_ONLY, is_on, needed_by_property
from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap, folded, same_name, same_names
from pytest_delta_schema.delta.property_values import milliseconds
from pytest_delta_schema.delta.type_widening import SIZED, widening
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.aspects.checks import renamed_expression
from pytest_delta_schema.plan.aspects.expression_equality import equal_expressions
from pytest_delta_schema.plan.renames import new_names, resolve_renames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_delta_schema.compatibility.contract_change import StatePair
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState, TableState
    from pytest_delta_schema.state.types import DataTypeState

ChangeRow = type["HasCode"]

CHANGE_FEED = "delta.enableChangeDataFeed"
RETENTIONS: Mapping[str, int] = {
    "delta.logretentionduration": 30 * 24 * 3_600_000,
    "delta.deletedfileretentionduration": 7 * 24 * 3_600_000,
}
"""Properties, in lower case, that say how long something is kept, with the defaults in milliseconds (Delta 4.4.0)."""

_MANAGED = "catalogManaged"


def row_of(change: object, states: StatePair) -> ChangeRow | None:
    """Return the row of a change; ``None`` for one that only writes the same in another form.

    Properties and tags are given one by one.

    Raises:
        TypeError: If its class is not a kind of change that has a row.
    """
    find = FINDERS.get(type(change))
    if find is None:
        msg = f"{type(change).__name__} has no row in the table of compatibility; add one in classification.py"
        raise TypeError(msg)
    return find(change, states)


def property_row(key: str, before: str | None, after: str | None) -> ChangeRow:
    """Return the row of a property that gets another value, or loses its own."""
    old, new = {key: before}, {key: after}
    for switch, row in ((CHANGE_FEED, ChangeFeedDisabled), (APPEND_ONLY, AppendOnlyDisabled)):
        if same_name(key, switch) and is_on(switch, old) and not is_on(switch, new):
            return row
    kept = RETENTIONS.get(folded(key))
    if kept is not None:
        # What cannot be read is not known to be as long.
        lengths = [kept if value is None else milliseconds(value) for value in (before, after)]
        is_as_long = lengths[0] is not None and lengths[1] is not None and lengths[1] >= lengths[0]
        return PropertyChanged if is_as_long else RetentionShortened
    features = needed_by_property(key, after)
    if any(feature.rpartition(".")[2] == _MANAGED for feature in features):
        return CommitsManagedByCatalog
    return FeatureEnabled if features.difference(needed_by_property(key, before)) else PropertyChanged


def type_row(before: DataTypeState, after: DataTypeState) -> ChangeRow:
    """Return the row of a changed type."""
    if isinstance(before, str) and isinstance(after, str):
        texts = [data_type.partition(" collate ")[0] for data_type in (before, after)]
        if texts == ["string", "string"]:
            return CollationChanged
        if widening(before, after) is not None:
            return TypeWidened
        if _is_shorter(before, after):
            return LengthShortened
    return TypeChanged


def _is_shorter(before: str, after: str) -> bool:
    old, new = SIZED.fullmatch(before), SIZED.fullmatch(after)
    if new is None or new[1] != "varchar":
        return False
    return before == "string" or (old is not None and old[1] == "varchar" and int(new[2]) < int(old[2]))


def _added(change: kinds.ColumnAdd, _states: StatePair) -> ChangeRow:
    if len(change.above):
        return FieldAdded
    return NullableColumnAdded if change.column.is_nullable else RequiredColumnAdded


def _nullability(change: kinds.ColumnNullabilityChange, _states: StatePair) -> ChangeRow:
    return NullAllowed if change.is_nullable else NullForbidden


def _retyped(change: kinds.ColumnTypeChange, _states: StatePair) -> ChangeRow:
    return type_row(change.before, change.after)


def _layout(change: kinds.LayoutRewrite, states: StatePair) -> ChangeRow:
    return PartitioningChanged if states.old.partitioning or change.partitioning else ClusteringChanged


def _check_dropped(change: kinds.CheckDrop, states: StatePair) -> ChangeRow | None:
    return None if _is_same(change, change.replaced_by, states) else CheckDropped


def _check_added(change: kinds.CheckAdd, states: StatePair) -> ChangeRow | None:
    stored = change.replaces
    return None if stored is not None and _is_same(stored, change, states) else CheckAdded


def _is_same(
    stored: CheckState | kinds.CheckDrop, wanted: CheckState | kinds.CheckAdd | None, states: StatePair
) -> bool:
    """Whether two checks have one condition, apart from the names of renamed columns."""
    if wanted is None:
        return False
    return equal_expressions(wanted.expression, renamed_expression(stored.expression, _names(states)))


def _primary_key_dropped(_change: kinds.PrimaryKeyDrop, states: StatePair) -> ChangeRow | None:
    return ConstraintKeyDropped if states.new.primary_key is None else None


def _primary_key_added(change: kinds.PrimaryKeyAdd, states: StatePair) -> ChangeRow | None:
    return _key_row(change.key, states.old.primary_key, states)


def _unique_dropped(change: kinds.UniqueDrop, states: StatePair) -> ChangeRow | None:
    return None if _partner(change.key, states.new.unique, _renamed(change.key, states)) else ConstraintKeyDropped


def _unique_added(change: kinds.UniqueAdd, states: StatePair) -> ChangeRow | None:
    same = (key for key in states.old.unique if same_names(_renamed(key, states), change.key.columns))
    return _key_row(change.key, next(same, None), states)


def _foreign_key_dropped(change: kinds.ForeignKeyDrop, states: StatePair) -> ChangeRow | None:
    columns = _renamed(change.key, states)
    return None if _partner(change.key, states.new.foreign_keys, columns) else ConstraintKeyDropped


def _foreign_key_added(change: kinds.ForeignKeyAdd, states: StatePair) -> ChangeRow | None:
    wanted = change.key
    same = (
        key
        for key in states.old.foreign_keys
        if key.parent == wanted.parent and same_names(key.parent_columns, wanted.parent_columns)
        if same_names(_renamed(key, states), wanted.columns)
    )
    return _key_row(wanted, next(same, None), states)


def _partner(
    key: KeyState | ForeignKeyState, wanted: Iterable[KeyState | ForeignKeyState], columns: tuple[str, ...]
) -> bool:
    """Whether a dropped key is added again, under its name or over its columns."""
    return any(same_name(other.name, key.name) or same_names(other.columns, columns) for other in wanted)


def _key_row(
    wanted: KeyState | ForeignKeyState, stored: KeyState | ForeignKeyState | None, states: StatePair
) -> ChangeRow | None:
    """Return the row of an added key; ``None`` if the table has the same one, perhaps under another name."""
    if stored is None or not same_names(_renamed(stored, states), wanted.columns):
        return RelyKeyAdded if wanted.rely else ConstraintKeyAdded
    return RelyAdded if wanted.rely and not stored.rely else None


def _renamed(key: KeyState | ForeignKeyState, states: StatePair) -> tuple[str, ...]:
    """Return the columns of a released key under their new names."""
    names = _names(states)
    return tuple(names.get(ColumnPath(column), column) for column in key.columns)


def _names(states: StatePair) -> Mapping[ColumnPath, str]:
    """Return the new names of renamed columns and fields, by their released paths."""
    return new_names(resolve_renames(states.new.renames, states.old.columns).done)


def _set(change: kinds.SetTableProperties, states: StatePair) -> ChangeRow:
    ((key, value),) = change.properties.items()
    return property_row(key, _value(key, states.old), value)


def _unset(change: kinds.UnsetTableProperties, states: StatePair) -> ChangeRow:
    (key,) = change.keys
    return property_row(key, _value(key, states.old), None)


def _value(key: str, table: TableState) -> str | None:
    return NameMap(table.table_properties.items()).get(key)


def _always(row: ChangeRow) -> Callable[[object, StatePair], ChangeRow]:
    return lambda _change, _states: row


FINDERS: Mapping[type, Callable[..., ChangeRow | None]] = {
    kinds.CheckAdd: _check_added,
    kinds.CheckDrop: _check_dropped,
    kinds.ClusteringChange: _always(ClusteringChanged),
    kinds.ColumnAdd: _added,
    kinds.ColumnDefaultChange: _always(DefaultChanged),
    kinds.ColumnDrop: _always(ColumnRemoved),
    kinds.ColumnGenerationChange: _always(GenerationChanged),
    kinds.ColumnMappingRemoval: _always(ColumnMappingDropped),
    kinds.ColumnMove: _always(ColumnMoved),
    kinds.ColumnNullabilityChange: _nullability,
    kinds.ColumnRename: _always(ColumnRenamed),
    kinds.ColumnTypeChange: _retyped,
    kinds.ConvertTable: _always(ConvertedToDelta),
    kinds.ForeignKeyAdd: _foreign_key_added,
    kinds.ForeignKeyDrop: _foreign_key_dropped,
    kinds.LayoutRewrite: _layout,
    kinds.PrimaryKeyAdd: _primary_key_added,
    kinds.PrimaryKeyDrop: _primary_key_dropped,
    kinds.SetColumnComments: _always(CommentChanged),
    kinds.SetTableComment: _always(CommentChanged),
    kinds.SetTableProperties: _set,
    kinds.SetTags: _always(TagChanged),
    kinds.UniqueAdd: _unique_added,
    kinds.UniqueDrop: _unique_dropped,
    kinds.UnsetTableProperties: _unset,
    kinds.UnsetTags: _always(TagChanged),
}
"""What finds the row of each kind of change, which a test holds to be all of them."""
