"""Compare a contract with the released one: the changes of a plan, and what no plan shows."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.compatibility.classification import property_row, row_of
from pytest_delta_schema.compatibility.contract_change import ContractChange, StatePair, comparable_states
from pytest_delta_schema.compatibility.faults.column_faults import ColumnOrderNotKept, ColumnRespelled, TypeWidened
from pytest_delta_schema.compatibility.faults.table_faults import (
    AdditiveEvolution,
    AspectNotOwned,
    PropertyChanged,
    SunsetMovedNearer,
    TableIntroduced,
    TableRemoved,
)
from pytest_delta_schema.delta.features import COLUMN_MAPPING, TYPE_WIDENING, writes_iceberg
from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameSet, folded
from pytest_delta_schema.delta.names.part_path import WHOLE_TABLE, part_path
from pytest_delta_schema.delta.type_widening import Widening, widening, widens_in_iceberg
from pytest_delta_schema.diagnostics.redaction import shown_property
from pytest_delta_schema.models.modes import ADDITIVE, MANAGE
from pytest_delta_schema.models.ownership import ASPECTS
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.aspects.properties import stored_key
from pytest_delta_schema.plan.change_markers import ABSENT
from pytest_delta_schema.plan.changes.kind import enabled_by, kind_of, with_enabled
from pytest_delta_schema.plan.difference import differ
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.state.required_features import unsupported_features
from pytest_delta_schema.state.states import CatalogState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pytest_delta_schema.delta.names.part_path import Aspect
    from pytest_delta_schema.models.ownership import Ownership
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.states import TableState

_UNDECLARED = "(not declared)"


def whole_table(old: TableState | None, new_tables: Iterable[TableState]) -> ContractChange:
    """Return the change of a table that is new, or that has gone.

    ``new_tables`` are those that are new in the same release.
    """
    if old is None:
        return ContractChange(row=TableIntroduced, subject="the table", before=ABSENT, after="declared")
    twins = [str(table.name) for table in new_tables if table.columns == old.columns]
    remark = f"{', '.join(twins)} is new and has the same columns" if twins else ""
    return ContractChange(row=TableRemoved, subject="the table", before="declared", after=ABSENT, remark=remark)


def contract_changes(old: TableState, new: TableState) -> tuple[StatePair, list[ContractChange]]:
    """Return all in which a contract differs from the released one, owned or not, and the states that were compared."""
    states = comparable_states(old, new)
    plan = TablePlanner().plan_states([states.new], CatalogState.of({states.old.name: states.old}))
    planned = [change for action in plan.align_tables for change in _one_by_one(action.changes)]
    changes = [*_planned(with_enabled(planned, states.old), states)]
    if states.old.columns != states.new.columns:
        changes += [*_spellings(states), *_order(states)]
    changes += _undeclared_properties(states)
    changes += _promises(old, new)
    return states, changes


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
    given = {feature for change in listed for feature in enabled_by(change)}
    for change in listed:
        row = row_of(change, states)
        if row is None:
            continue
        kind = kind_of(change)
        line = next(iter(kind.describe(change, states.old)))
        needed = unsupported_features(_needed(change), states.old).difference(given)
        yield ContractChange(
            row=row,
            path=part_path("format") if kind.aspect == "conversion" else line.path,  # type: ignore[arg-type]
            subject=line.path,
            before=line.before,
            after=line.after,
            aspect=None if kind.aspect == "conversion" else kind.aspect,
            columns=_columns(change),
            change=change,
            features=tuple(sorted({*enabled_by(change), *needed})),
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


def _order(states: StatePair) -> Iterator[ContractChange]:
    """Yield the change of an order that no plan manages."""
    if states.new.column_order == MANAGE:
        return
    before = [folded(column.name) for column in differ(states.new, states.old).renames.columns]
    after = [folded(column.name) for column in states.new.columns]
    common = NameSet(before) & NameSet(after)
    before, after = ([name for name in names if name in common] for names in (before, after))
    if before != after:
        yield ContractChange(
            row=ColumnOrderNotKept,
            path=part_path("columns"),
            subject="the order of columns",
            before=", ".join(before),
            after=", ".join(after),
            aspect="columns",
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
