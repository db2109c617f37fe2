"""The changes of a contract between two states of a table, and the row of the table of verdicts that judges each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.compatibility.faults import (
    AdditiveEvolution,
    AppendOnlyDisabled,
    AspectNotOwned,
    ChangeFeedDisabled,
    CheckAdded,
    CheckDropped,
    ClusteringChanged,
    CollationChanged,
    ColumnMappingDropped,
    ColumnMoved,
    ColumnOrderNotKept,
    ColumnRemoved,
    ColumnRenamed,
    ColumnRespelled,
    CommentChanged,
    CommitsManagedByCatalog,
    ConstraintKeyAdded,
    ConstraintKeyDropped,
    ConvertedToDelta,
    DefaultChanged,
    DeprecationBackdated,
    FeatureEnabled,
    FieldAdded,
    FieldOrderChanged,
    GenerationChanged,
    LengthShortened,
    NullableColumnAdded,
    NullAllowed,
    NullForbidden,
    OtherFormatDisabled,
    PartitioningChanged,
    PropertyChanged,
    RelyAdded,
    RelyKeyAdded,
    RequiredColumnAdded,
    RetentionShortened,
    SunsetMovedNearer,
    TableIntroduced,
    TableRemoved,
    TagChanged,
    TypeChanged,
    TypeWidened,
)
from pytest_delta_schema.delta.fields import SIZED, Widening, widening, widens_in_iceberg
from pytest_delta_schema.delta.names import (
    TABLE,
    WHOLE_TABLE,
    ColumnPath,
    NameMap,
    PartPath,
    folded,
    part_path,
    same_name,
    same_names,
)
from pytest_delta_schema.delta.properties import RETENTIONS, milliseconds
from pytest_delta_schema.delta.protocol import (
    APPEND_ONLY,
    COLUMN_MAPPING,
    PROTOCOL_VERSIONS,
    TYPE_WIDENING,
    features_of_version,
    is_on,
    needed_by_property,
    other_formats,
    writes_iceberg,
)
from pytest_delta_schema.diagnostics.redaction import shown_property
from pytest_delta_schema.models.ownership import ADDITIVE, ALL_MANAGED, ASPECTS, IGNORE, MANAGE, STRICT
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.comparison import as_created, equal_expressions, renamed_expression, stored_key
from pytest_delta_schema.plan.difference import differ, new_names, resolve_renames
from pytest_delta_schema.plan.kinds import ABSENT, with_enabled
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.state.features import unsupported_features
from pytest_delta_schema.state.states import NO_TAGS, CatalogState
from pytest_delta_schema.state.types import common_names, moved_fields
from pytest_delta_schema.write_check.values import CHANGE_FEED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.models.ownership import Ownership
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState, TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


ChangeRow = type["HasCode"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractChange:
    """One change of a contract."""

    row: type[HasCode]
    """The kind of change, which is a row of the table of verdicts."""
    path: PartPath = WHOLE_TABLE
    """The part of the table."""
    subject: str
    """What messages call the part."""
    before: str
    after: str
    aspect: Aspect | None = None
    """The aspect to which it belongs; ``None`` for the contract itself."""
    columns: tuple[ColumnPath, ...] = ()
    """The columns or fields that it concerns, under their names before and after."""
    change: Change | None = None
    """The change of the plan; ``None`` if no apply changes an existing table."""
    features: tuple[str, ...] = ()
    """The table features that it enables."""
    remark: str = ""
    """What is to be known besides."""

    @property
    def column(self) -> ColumnPath:
        """The column or field under its released name; empty for the table."""
        return self.columns[0] if self.columns else TABLE

    @property
    def names(self) -> tuple[str, ...]:
        """The columns as faults of writes name them: with dots, in lower case."""
        return tuple(".".join(column.folded) for column in self.columns)


class StatePair(NamedTuple):
    """A table as it is released, and as it will be."""

    old: TableState
    new: TableState


def comparable_states(old: TableState, new: TableState) -> StatePair:
    """Return two states so that a plan shows all in which they differ, whatever the contracts own and accept."""
    properties: Mapping[str, str | None] = as_created(old).table_properties
    if None in properties.values():
        properties = MappingProxyType({key: value for key, value in properties.items() if value is not None})
    tags = old.tags
    if any(None in values.values() for values in tags.values()):
        tags = MappingProxyType(
            {path: {key: value for key, value in values.items() if value is not None} for path, values in tags.items()}
        )
    return StatePair(
        replace(old, table_properties=properties, tags=tags or NO_TAGS, exists=True),
        replace(
            new,
            ownership=ALL_MANAGED,
            evolution=STRICT,
            read_only=False,
            column_order=MANAGE if new.column_order == MANAGE else IGNORE,
        ),
    )


_UNDECLARED = "(not declared)"


def contract_changes(
    old: TableState, new: TableState, released_on: date | None = None
) -> tuple[StatePair, list[ContractChange]]:
    """Return all in which a contract differs from the released one, owned or not, and the states that were compared."""
    states = comparable_states(old, new)
    plan = TablePlanner().plan_states([states.new], CatalogState.of({states.old.name: states.old}))
    planned = [change for action in plan.align_tables for change in _one_by_one(action.changes)]
    changes = [*_planned(with_enabled(planned, states.old), states)]
    if states.old.columns != states.new.columns:
        released = differ(states.new, states.old).renames.columns
        changes += [*_spellings(states), *_order(states, released), *_orders_of_fields(released, states.new.columns)]
    changes += _undeclared_properties(states)
    changes += _promises(old, new)
    if released_on is not None:
        changes += _backdated(old, new, released_on)
    return states, changes


def whole_table(old: TableState | None, new_tables: Iterable[TableState]) -> ContractChange:
    """Return the change of a table that is new, or that has gone."""
    if old is None:
        return ContractChange(row=TableIntroduced, subject="the table", before=ABSENT, after="declared")
    twins = [str(table.name) for table in new_tables if table.columns == old.columns]
    remark = f"{', '.join(twins)} is new and has the same columns" if twins else ""
    return ContractChange(row=TableRemoved, subject="the table", before="declared", after=ABSENT, remark=remark)


def _one_by_one(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield changes, with one property in each."""
    for change in changes:
        if isinstance(change, kinds.SetTableProperties):
            for key, value in change.properties.items():
                yield kinds.SetTableProperties(properties=MappingProxyType({key: value}))
        elif isinstance(change, kinds.UnsetTableProperties):
            yield from (kinds.UnsetTableProperties(keys=(key,)) for key in change.keys)
        else:
            yield change


def _planned(changes: Iterable[Change], states: StatePair) -> Iterator[ContractChange]:
    listed = list(changes)
    given = {feature for change in listed for feature in change.enables}
    for change in listed:
        row = row_of(change, states)
        if row is None:
            continue
        line = next(change.lines(states.old))
        needed = unsupported_features(_needed(change), states.old).difference(given)
        enabled = {*change.enables, *needed}.difference(PROTOCOL_VERSIONS)
        yield ContractChange(
            row=row,
            path=part_path("format") if change.aspect == "conversion" else line.path,  # type: ignore[arg-type]
            subject=line.path,
            before=line.before,
            after=line.after,
            aspect=None if change.aspect == "conversion" else change.aspect,
            columns=_columns(change),
            change=change,
            features=tuple(sorted(enabled | _versions(change, states))),
            remark=_refusal(change, states) if row is TypeWidened else "",
        )


def _needed(change: Change) -> tuple[str, ...]:
    """Return the features that a project has to enable before Delta makes a change."""
    if isinstance(change, (kinds.ColumnDrop, kinds.ColumnRename)):
        return (COLUMN_MAPPING,)
    if isinstance(change, kinds.ColumnTypeChange):
        return (TYPE_WIDENING,) if widening(change.before, change.after) is Widening.BY_FEATURE else ()
    if isinstance(change, (kinds.ColumnAdd, kinds.ColumnGenerationChange)):
        value = change.column.value if isinstance(change, kinds.ColumnAdd) else change.after
        if value is not None and value.identity is not None:
            return ("identityColumns",)
        return ("generatedColumns",) if value is not None and value.generated is not None else ()
    return ()


def _versions(change: Change, states: StatePair) -> frozenset[str]:
    """Return the features that come with a version of the protocol."""
    if not isinstance(change, kinds.SetTableProperties):
        return frozenset()
    ((key, value),) = change.properties.items()
    return features_of_version(key, value) - features_of_version(key, _value(key, states.old))


def _columns(change: Change) -> tuple[ColumnPath, ...]:
    if isinstance(change, kinds.ColumnRename):
        return change.path, change.path.parent.child(change.to)
    if isinstance(change, (kinds.ColumnGenerationChange, kinds.ColumnMove)):
        return (ColumnPath(change.name),)
    if isinstance(change, kinds.SetColumnComments):
        return tuple(change.comments)
    path: ColumnPath = getattr(change, "path", TABLE)
    return (path,) if path else ()


def _refusal(change: Change, states: StatePair) -> str:
    """Return why Delta refuses to widen a type of a table that Iceberg clients read; ``""`` if it does not."""
    if not isinstance(change, kinds.ColumnTypeChange) or widening(change.before, change.after) is Widening.ALWAYS:
        return ""
    iceberg = any(writes_iceberg(state.table_properties) for state in states)
    if not iceberg or widens_in_iceberg(change.before, change.after):
        return ""
    return "Delta refuses it for tables with Iceberg metadata"


def _spellings(states: StatePair) -> Iterator[ContractChange]:
    for pair in differ(states.new, states.old).changed:
        before, after = pair.observed.name, pair.desired.name
        if before != after:
            path = part_path("columns", pair.path)
            yield ContractChange(
                row=ColumnRespelled,
                path=path,
                subject=path,
                before=before,
                after=after,
                aspect="columns",
                columns=(pair.path,),
            )


def _order(states: StatePair, released: Sequence[ColumnState]) -> Iterator[ContractChange]:
    """Yield the change of an order that no plan manages."""
    if states.new.column_order == MANAGE:
        return
    before, after = common_names(released, states.new.columns)
    if before != after:
        yield ContractChange(
            row=ColumnOrderNotKept,
            path=part_path("columns"),
            subject="the order of columns",
            before=", ".join(before),
            after=", ".join(after),
            aspect="columns",
        )


def _orders_of_fields(released: Iterable[ColumnState], columns: Sequence[ColumnState]) -> Iterator[ContractChange]:
    """Yield the changes of the order of fields in structs, at any depth; no plan manages them."""
    for moved in moved_fields(released, columns):
        yield ContractChange(
            row=FieldOrderChanged,
            path=part_path("columns", moved.path),
            subject=f"the order of fields in {moved.path}",
            before=", ".join(moved.before),
            after=", ".join(moved.after),
            aspect="columns",
            columns=(moved.path,),
        )


def _undeclared_properties(states: StatePair) -> Iterator[ContractChange]:
    """Yield the properties that a contract no longer declares, if somebody relies on them; no plan removes them."""
    stored, wanted = states.old.table_properties, states.new.table_properties
    for key, value in stored.items():
        if value is not None and stored_key(key, wanted) is None:
            row = property_row(key, value, None)
            if row is not PropertyChanged:
                path = part_path("properties", key)
                before, after = shown_property(key, value), _UNDECLARED
                yield ContractChange(row=row, path=path, subject=path, before=before, after=after, aspect="properties")


def _promises(old: TableState, new: TableState) -> Iterator[ContractChange]:
    """Yield what the contract promises less than before."""
    lost = [aspect for aspect in ASPECTS if is_managed(aspect, old.ownership) > is_managed(aspect, new.ownership)]
    if lost:
        after = "read only" if new.read_only else ", ".join(new.ownership[aspect] for aspect in lost)
        yield ContractChange(
            row=AspectNotOwned, path=WHOLE_TABLE, subject=f"owns: {', '.join(lost)}", before=MANAGE, after=after
        )
    if old.column_order == MANAGE and new.column_order != MANAGE:
        yield ContractChange(
            row=ColumnOrderNotKept,
            path=part_path("columns"),
            subject="column_order",
            before=old.column_order,
            after=new.column_order,
            aspect="columns",
        )
    if new.evolution == ADDITIVE != old.evolution:
        yield ContractChange(row=AdditiveEvolution, subject="evolution", before=old.evolution, after=new.evolution)
    yield from _sunsets(old, new)


def _sunsets(old: TableState, new: TableState) -> Iterator[ContractChange]:
    """Yield the deprecations of which the last day of use is nearer than it was announced."""
    for path, announced in old.deprecated.items():
        deprecation = new.deprecated.get(path)
        if deprecation is None or announced.sunset is None:
            continue
        if deprecation.sunset is None or deprecation.sunset < announced.sunset:
            part = part_path("columns", path, "deprecated") if path else part_path("deprecated")
            yield ContractChange(
                row=SunsetMovedNearer,
                path=part,
                subject=f"sunset of {path}" if path else "sunset",
                before=str(announced.sunset),
                after=ABSENT if deprecation.sunset is None else str(deprecation.sunset),
                columns=(path,) if path else (),
            )


def _backdated(old: TableState, new: TableState, released_on: date) -> Iterator[ContractChange]:
    """Yield the deprecations that are new, and whose day is before that of the released contract."""
    for path, deprecation in new.deprecated.items():
        if path not in old.deprecated and deprecation.since < released_on:
            part = part_path("columns", path, "deprecated") if path else part_path("deprecated")
            yield ContractChange(
                row=DeprecationBackdated,
                path=part,
                subject=f"deprecation of {path}" if path else "deprecation",
                before=f"{ABSENT} on {released_on}",
                after=f"since {deprecation.since}",
                columns=(path,) if path else (),
            )


def is_managed(aspect: Aspect, modes: Ownership) -> bool:
    """Whether a contract manages an aspect."""
    return modes.get(aspect, MANAGE) == MANAGE


def unjudged(change: ContractChange, old: TableState, new: TableState, unknown: Collection[str]) -> str | None:
    """Return why a change is not judged; ``""`` if it is, and ``None`` if it is none of the contract's."""
    aspect = change.aspect
    if aspect is None:
        is_of_ownership = {AspectNotOwned: "ownership", AdditiveEvolution: "evolution"}.get(change.row) in unknown
        return "the released state does not hold it" if is_of_ownership else ""
    if not is_managed(aspect, new.ownership):
        return None
    if aspect in unknown:
        return f"the released state does not hold {aspect}"
    is_owned = "ownership" in unknown or is_managed(aspect, old.ownership)
    return "" if is_owned else f"the released contract does not manage {aspect}"


_MANAGED = "catalogManaged"


def row_of(change: object, states: StatePair) -> ChangeRow | None:
    """Return the row of a change; ``None`` for one that only writes the same in another form."""
    find = FINDERS.get(type(change))
    if find is None:
        msg = f"{type(change).__name__} has no row in the table of compatibility; add one in compatibility/changes.py"
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
    if other_formats(old) - other_formats(new):
        return OtherFormatDisabled
    features = _needed_by(key, after)
    if any(feature.rpartition(".")[2] == _MANAGED for feature in features):
        return CommitsManagedByCatalog
    return FeatureEnabled if features - _needed_by(key, before) else PropertyChanged


def _needed_by(key: str, value: str | None) -> frozenset[str]:
    """Return the features that clients have to know for a property."""
    return features_of_version(key, value) if folded(key) in PROTOCOL_VERSIONS else needed_by_property(key, value)


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
    return equal_expressions(wanted.expression, renamed_expression(stored.expression, names_after(states)))


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
    names = names_after(states)
    return tuple(names.get(ColumnPath(column), column) for column in key.columns)


def names_after(states: StatePair) -> Mapping[ColumnPath, str]:
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
