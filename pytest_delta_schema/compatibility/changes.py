"""The changes of a contract between two states of a table, and the class of each, which has its verdicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pytest_delta_schema.compatibility import column_faults, table_faults
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
    PROTOCOL_VERSIONS,
    features_of_version,
    is_on,
    needed_by_property,
    other_formats,
    writes_iceberg,
)
from pytest_delta_schema.diagnostics.redaction import shown_property
from pytest_delta_schema.models.ownership import ADDITIVE, ALL_MANAGED, ASPECTS, IGNORE, MANAGE, STRICT
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.comparison import (
    as_created,
    equal_expressions,
    features_to_enable,
    renamed_expression,
    stored_key,
)
from pytest_delta_schema.plan.difference import differ, new_names, resolve_renames
from pytest_delta_schema.plan.kinds import ABSENT, with_enabled
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.state.features import unsupported_features
from pytest_delta_schema.state.states import CatalogState
from pytest_delta_schema.state.types import common_names, moved_fields
from pytest_delta_schema.write_check.values import CHANGE_FEED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import date

    from pytest_delta_schema.compatibility.roles import ContractFault
    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.models.ownership import Ownership
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState, TableState
    from pytest_delta_schema.state.types import DataTypeState


ChangeRow = type["ContractFault"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractChange:
    """One change of a contract."""

    row: ChangeRow
    """The kind of change, which has the verdicts."""
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
    why_not_judged: str = ""
    """Why it cannot be judged; ``""`` if it is."""

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
    properties = {key: value for key, value in as_created(old).table_properties.items() if value is not None}
    tags = {path: {key: value for key, value in tags.items() if value is not None} for path, tags in old.tags.items()}
    return StatePair(
        replace(old, table_properties=MappingProxyType(properties), tags=MappingProxyType(tags), exists=True),
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
        changes += _respelled_and_moved(states)
    changes += _undeclared_properties(states)
    changes += _promises(old, new)
    if released_on is not None:
        changes += _backdated(old, new, released_on)
    return states, changes


def whole_table(old: TableState | None, new_tables: Iterable[TableState]) -> ContractChange:
    """Return the change of a table that is new, or that has gone."""
    if old is None:
        return ContractChange(row=table_faults.TableIntroduced, subject="the table", before=ABSENT, after="declared")
    twins = [str(table.name) for table in new_tables if table.columns == old.columns]
    remark = f"{', '.join(twins)} is new and has the same columns" if twins else ""
    return ContractChange(
        row=table_faults.TableRemoved, subject="the table", before="declared", after=ABSENT, remark=remark
    )


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
        needed = unsupported_features(features_to_enable(change), states.old).difference(given)
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
            remark=_refusal(change, states) if row is column_faults.TypeWidened else "",
        )


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


def _of_columns(
    row: ChangeRow, subject: str, before: str, after: str, column: ColumnPath | None = None
) -> ContractChange:
    """Return a change of a column, a struct or the order of columns that no plan makes."""
    columns = () if column is None else (column,)
    path = part_path("columns", *columns)
    return ContractChange(
        row=row, path=path, subject=subject or path, before=before, after=after, aspect="columns", columns=columns
    )


def _respelled_and_moved(states: StatePair) -> Iterator[ContractChange]:
    """Yield the changes of the case of names, of the order of columns, and of that of fields at any depth."""
    difference = differ(states.new, states.old)
    for pair in difference.changed:
        before, after = pair.observed.name, pair.desired.name
        if before != after:
            yield _of_columns(column_faults.ColumnRespelled, "", before, after, pair.path)
    released = difference.renames.columns
    before, after = map(", ".join, common_names(released, states.new.columns))
    if states.new.column_order != MANAGE and before != after:
        yield _of_columns(column_faults.ColumnOrderNotKept, "the order of columns", before, after)
    for moved in moved_fields(released, states.new.columns):
        before, after = ", ".join(moved.before), ", ".join(moved.after)
        subject = f"the order of fields in {moved.path}"
        yield _of_columns(column_faults.FieldOrderChanged, subject, before, after, moved.path)


def _undeclared_properties(states: StatePair) -> Iterator[ContractChange]:
    """Yield the properties that a contract no longer declares, if somebody relies on them; no plan removes them."""
    stored, wanted = states.old.table_properties, states.new.table_properties
    for key, value in stored.items():
        if value is not None and stored_key(key, wanted) is None:
            row = property_row(key, value, None)
            if row is not table_faults.PropertyChanged:
                path = part_path("properties", key)
                before, after = shown_property(key, value), _UNDECLARED
                yield ContractChange(row=row, path=path, subject=path, before=before, after=after, aspect="properties")


def _promises(old: TableState, new: TableState) -> Iterator[ContractChange]:
    """Yield what the contract promises less than before."""
    lost = [aspect for aspect in ASPECTS if is_managed(aspect, old.ownership) > is_managed(aspect, new.ownership)]
    if lost:
        after = "read only" if new.read_only else ", ".join(new.ownership[aspect] for aspect in lost)
        yield ContractChange(
            row=table_faults.AspectNotOwned, subject=f"owns: {', '.join(lost)}", before=MANAGE, after=after
        )
    if old.column_order == MANAGE and new.column_order != MANAGE:
        yield _of_columns(column_faults.ColumnOrderNotKept, "column_order", old.column_order, new.column_order)
    if new.evolution == ADDITIVE != old.evolution:
        yield ContractChange(
            row=table_faults.AdditiveEvolution, subject="evolution", before=old.evolution, after=new.evolution
        )
    yield from _sunsets(old, new)


def _sunsets(old: TableState, new: TableState) -> Iterator[ContractChange]:
    """Yield the deprecations of which the last day of use is nearer than it was announced."""
    for path, announced in old.deprecated.items():
        deprecation = new.deprecated.get(path)
        if deprecation is None or announced.sunset is None:
            continue
        if deprecation.sunset is None or deprecation.sunset < announced.sunset:
            after = ABSENT if deprecation.sunset is None else str(deprecation.sunset)
            yield _of_deprecation(table_faults.SunsetMovedNearer, "sunset", path, str(announced.sunset), after)


def _backdated(old: TableState, new: TableState, released_on: date) -> Iterator[ContractChange]:
    """Yield the deprecations that are new, and whose day is before that of the released contract."""
    for path, deprecation in new.deprecated.items():
        if path not in old.deprecated and deprecation.since < released_on:
            before, after = f"{ABSENT} on {released_on}", f"since {deprecation.since}"
            yield _of_deprecation(table_faults.DeprecationBackdated, "deprecation", path, before, after)


def _of_deprecation(row: ChangeRow, noun: str, path: ColumnPath, before: str, after: str) -> ContractChange:
    part = part_path("columns", path, "deprecated") if path else part_path("deprecated")
    subject, columns = (f"{noun} of {path}", (path,)) if path else (noun, ())
    return ContractChange(row=row, path=part, subject=subject, before=before, after=after, columns=columns)


def is_managed(aspect: Aspect, modes: Ownership) -> bool:
    """Whether a contract manages an aspect."""
    return modes.get(aspect, MANAGE) == MANAGE


def unjudged(change: ContractChange, old: TableState, new: TableState, unknown: Collection[str]) -> str | None:
    """Return why a change is not judged; ``""`` if it is, and ``None`` if it is none of the contract's."""
    aspect = change.aspect
    if aspect is None:
        is_of_ownership = {table_faults.AspectNotOwned: "ownership", table_faults.AdditiveEvolution: "evolution"}.get(
            change.row
        ) in unknown
        return "the released state does not hold it" if is_of_ownership else ""
    if not is_managed(aspect, new.ownership):
        return None
    if aspect in unknown:
        return f"the released state does not hold {aspect}"
    is_owned = "ownership" in unknown or is_managed(aspect, old.ownership)
    return "" if is_owned else f"the released contract does not manage {aspect}"


_MANAGED = "catalogManaged"

_ROWS: Mapping[type[Change], ChangeRow] = {
    kinds.ColumnDrop: column_faults.ColumnRemoved,
    kinds.ColumnRename: column_faults.ColumnRenamed,
    kinds.ColumnMove: column_faults.ColumnMoved,
    kinds.ColumnDefaultChange: column_faults.DefaultChanged,
    kinds.ColumnGenerationChange: column_faults.GenerationChanged,
    kinds.LayoutRewrite: table_faults.ClusteringChanged,
    kinds.ClusteringChange: table_faults.ClusteringChanged,
    kinds.ColumnMappingRemoval: table_faults.ColumnMappingDropped,
    kinds.SetColumnComments: table_faults.CommentChanged,
    kinds.SetTableComment: table_faults.CommentChanged,
    kinds.SetTags: table_faults.TagChanged,
    kinds.UnsetTags: table_faults.TagChanged,
    kinds.ConvertTable: table_faults.ConvertedToDelta,
}
"""The rows of the kinds that have one row, whatever they change."""


def row_of(change: Change, states: StatePair) -> ChangeRow | None:  # noqa: C901, PLR0911, PLR0912 - one form a kind
    """Return the row of a change; ``None`` for one that only writes the same in another form."""
    old, new = states
    match change:
        case kinds.ColumnTypeChange(before=before, after=after):
            return type_row(before, after)
        case kinds.ColumnAdd(above=above) if above:
            return column_faults.FieldAdded
        case kinds.ColumnAdd(column=column):
            return column_faults.NullableColumnAdded if column.is_nullable else column_faults.RequiredColumnAdded
        case kinds.ColumnNullabilityChange(is_nullable=is_nullable):
            return column_faults.NullAllowed if is_nullable else column_faults.NullForbidden
        case kinds.CheckAdd(replaces=stored):
            return None if _is_same(stored, change, states) else table_faults.CheckAdded
        case kinds.CheckDrop(replaced_by=wanted):
            return None if _is_same(change, wanted, states) else table_faults.CheckDropped
        case kinds.PrimaryKeyAdd(key=key):
            return _key_row(key, [] if old.primary_key is None else [old.primary_key], states)
        case kinds.PrimaryKeyDrop():
            return table_faults.ConstraintKeyDropped if new.primary_key is None else None
        case kinds.UniqueAdd(key=key):
            return _key_row(key, old.unique, states)
        case kinds.ForeignKeyAdd(key=parent):
            same = (key for key in old.foreign_keys if key.parent == parent.parent)
            alike = [key for key in same if same_names(key.parent_columns, parent.parent_columns)]
            return _key_row(parent, alike, states)
        case kinds.UniqueDrop(key=key):
            return None if _is_added_again(key, new.unique, states) else table_faults.ConstraintKeyDropped
        case kinds.ForeignKeyDrop(key=parent):
            return None if _is_added_again(parent, new.foreign_keys, states) else table_faults.ConstraintKeyDropped
        case kinds.LayoutRewrite(partitioning=partitioning) if old.partitioning or partitioning:
            return table_faults.PartitioningChanged
        case kinds.SetTableProperties(properties=properties):
            ((name, value),) = properties.items()
            return property_row(name, _value(name, old), value)
        case kinds.UnsetTableProperties(keys=keys):
            (name,) = keys
            return property_row(name, _value(name, old), None)
    row = _ROWS.get(type(change))
    if row is None:
        msg = f"{type(change).__name__} has no row in the table of compatibility"
        raise TypeError(msg)
    return row


def property_row(key: str, before: str | None, after: str | None) -> ChangeRow:
    """Return the row of a property that gets another value, or loses its own."""
    old, new = {key: before}, {key: after}
    for switch, row in ((CHANGE_FEED, table_faults.ChangeFeedDisabled), (APPEND_ONLY, table_faults.AppendOnlyDisabled)):
        if same_name(key, switch) and is_on(switch, old) and not is_on(switch, new):
            return row
    kept = RETENTIONS.get(folded(key))
    if kept is not None:
        # What cannot be read is not known to be as long.
        lengths = [kept if value is None else milliseconds(value) for value in (before, after)]
        is_as_long = lengths[0] is not None and lengths[1] is not None and lengths[1] >= lengths[0]
        return table_faults.PropertyChanged if is_as_long else table_faults.RetentionShortened
    if other_formats(old) - other_formats(new):
        return table_faults.OtherFormatDisabled
    features = _needed_by(key, after)
    if any(feature.rpartition(".")[2] == _MANAGED for feature in features):
        return table_faults.CommitsManagedByCatalog
    return table_faults.FeatureEnabled if features - _needed_by(key, before) else table_faults.PropertyChanged


def _needed_by(key: str, value: str | None) -> frozenset[str]:
    """Return the features that clients have to know for a property."""
    return features_of_version(key, value) if folded(key) in PROTOCOL_VERSIONS else needed_by_property(key, value)


def type_row(before: DataTypeState, after: DataTypeState) -> ChangeRow:
    """Return the row of a changed type."""
    if isinstance(before, str) and isinstance(after, str):
        texts = [data_type.partition(" collate ")[0] for data_type in (before, after)]
        if texts == ["string", "string"]:
            return column_faults.CollationChanged
        if widening(before, after) is not None:
            return column_faults.TypeWidened
        if _is_shorter(before, after):
            return column_faults.LengthShortened
    return column_faults.TypeChanged


def _is_shorter(before: str, after: str) -> bool:
    old, new = SIZED.fullmatch(before), SIZED.fullmatch(after)
    if new is None or new[1] != "varchar":
        return False
    return before == "string" or (old is not None and old[1] == "varchar" and int(new[2]) < int(old[2]))


def _is_same(
    stored: CheckState | kinds.CheckDrop | None, wanted: CheckState | kinds.CheckAdd | None, states: StatePair
) -> bool:
    """Whether two checks have one condition, apart from the names of renamed columns."""
    if stored is None or wanted is None:
        return False
    return equal_expressions(wanted.expression, renamed_expression(stored.expression, names_after(states)))


_AnyKey = TypeVar("_AnyKey", "KeyState", "ForeignKeyState")


def _is_added_again(key: _AnyKey, wanted: Iterable[_AnyKey], states: StatePair) -> bool:
    """Whether a dropped key is added again, under its name or over its columns."""
    columns = _renamed(key, states)
    return any(same_name(other.name, key.name) or same_names(other.columns, columns) for other in wanted)


def _key_row(wanted: _AnyKey, released: Iterable[_AnyKey], states: StatePair) -> ChangeRow | None:
    """Return the row of an added key; ``None`` if the table has the same one, perhaps under another name."""
    stored = next((key for key in released if same_names(_renamed(key, states), wanted.columns)), None)
    if stored is None:
        return table_faults.RelyKeyAdded if wanted.rely else table_faults.ConstraintKeyAdded
    return table_faults.RelyAdded if wanted.rely and not stored.rely else None


def _renamed(key: KeyState | ForeignKeyState, states: StatePair) -> tuple[str, ...]:
    """Return the columns of a released key under their new names."""
    names = names_after(states)
    return tuple(names.get(ColumnPath(column), column) for column in key.columns)


def names_after(states: StatePair) -> Mapping[ColumnPath, str]:
    """Return the new names of renamed columns and fields, by their released paths."""
    return new_names(resolve_renames(states.new.renames, states.old.columns).done)


def _value(key: str, table: TableState) -> str | None:
    return NameMap(table.table_properties.items()).get(key)
