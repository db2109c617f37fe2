"""The planner: compares models with the state of a catalog, without side effects."""

from __future__ import annotations

from dataclasses import replace
from itertools import starmap
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import part_path
from pytest_delta_schema.delta.protocol import MAPPING_PROPERTY, allows_changes_of_columns, is_on
from pytest_delta_schema.diagnostics.errors import note
from pytest_delta_schema.diagnostics.faults import (
    AcceptedColumn,
    EqualExpression,
    NotShown,
    OtherSpelling,
    PossibleRename,
    ReadOnlyObject,
    RelyUnknown,
)
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.names import QualifiedName, require_names
from pytest_delta_schema.models.ownership import ADDITIVE, IGNORE, MANAGE, REPORT
from pytest_delta_schema.models.table import required_tables
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan import comparison
from pytest_delta_schema.plan.actions import AlignTable, CreateTable, TablePlan
from pytest_delta_schema.plan.difference import differ, new_names, with_assumed, with_extras
from pytest_delta_schema.plan.kinds import Change, Step, with_enabled
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.keys import StateKeys
from pytest_delta_schema.state.states import ASPECT_PARTS, CatalogState, TableState
from pytest_delta_schema.state.types import describe_type, equal_types, special_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.ownership import ContractMode
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import CheckState, ForeignKeyState, HiddenPart, KeyState


_NO_KEYS = TableState(name=QualifiedName("", "", ""))
_ALL_KEYS = attrgetter(*StateKeys.__annotations__)
_NO_CHANGES = TablePlan()
_PARTLY_DECLARED = ("properties", "tags")
"""The aspects of which only the declared keys are compared."""

_COMPARED = attrgetter("columns", *(part.field for part in ASPECT_PARTS if part.aspect not in _PARTLY_DECLARED))


class TablePlanner:
    """Plans the changes between models and a catalog.

    Args:
        enable: Table features that a plan may enable where it needs them, ``typeWidening`` and ``columnMapping``;
            others have to be declared by their properties.
        policy: Which table properties the project manages.
        checks_follow: Whether a new table gets its checks right after its creation, and not in it.
    """

    def __init__(
        self,
        *,
        enable: Collection[str] = (),
        policy: PropertyPolicy = PropertyPolicy(),  # noqa: B008 - a frozen value
        checks_follow: bool = False,
    ) -> None:
        self._enable = frozenset(require_names(enable, "enable of TablePlanner"))
        if not isinstance(policy, PropertyPolicy):
            refuse_kind("TablePlanner", "a PropertyPolicy", policy, "write PropertyPolicy(...)")
        self._policy = policy
        self._checks_follow = checks_follow

    def over(self, *, checks_follow: bool) -> TablePlanner:
        """Return the planner for a catalog.

        Args:
            checks_follow: Whether it takes the checks of a new table after its creation only.
        """
        return TablePlanner(enable=self._enable, policy=self._policy, checks_follow=checks_follow)

    def plan(self, models: Iterable[Table], state: CatalogState, *, other_models: Iterable[Table] = ()) -> TablePlan:
        """Plan everything that ``models`` want and ``state`` lacks.

        The order of the models, of properties and of stored columns does not matter; new columns and the columns of
        new tables are added in declaration order. When a primary key is dropped or replaced, the foreign keys that
        reference it are dropped and added again, also those of other tables in ``state``.

        Args:
            models: Declared tables, each name once.
            state: What the catalog holds, read for the same models.
            other_models: Other declared tables; only dependent foreign keys that they still want are added again.

        Raises:
            DeclarationError: If an argument is something else.
            CatalogReadError: If ``state`` lacks a table; nothing is planned then.
        """
        desired, others = required_tables(models, "plan"), required_tables(other_models, "plan")
        if not isinstance(state, CatalogState):
            refuse_kind("plan", "the state of a catalog", state, "give catalog.snapshot(models)")
        return self.plan_states(map(desired_state, desired), state, other_models=map(desired_state, others))

    def plan_states(
        self, desired: Iterable[TableState], state: CatalogState, *, other_models: Iterable[TableState] = ()
    ) -> TablePlan:
        """Plan like :meth:`plan`, for the states of models.

        Args:
            desired: The states that models declare, each name once.
            state: What the catalog holds, read for the same tables.
            other_models: The states of other declared tables, as in :meth:`plan`.

        Raises:
            CatalogReadError: If ``state`` lacks a table; nothing is planned then.
        """
        wanted = sorted(desired, key=attrgetter("name"))
        if not all(table.name in state.tables for table in wanted):
            state.require_all(wanted)
        plans = [(table, self.compared(table, state)) for table in wanted]
        return self.joined(plans, state, other_models=other_models)

    def compared(self, desired: TableState, state: CatalogState) -> TablePlan:
        """Plan one table that was read, without the parents of its keys, and the keys that depend on its key.

        Args:
            desired: The state that its model declares.
            state: What the catalog holds.
        """
        observed = (state.others.get(desired.name) if desired.read_only else None) or state.tables[desired.name]
        if not observed.exists:
            creation = replace(self.creation(desired, creates_schema=not observed.schema_exists), table=observed.name)
            return TablePlan(mismatches=(creation,)) if desired.read_only else TablePlan(create_tables=(creation,))
        notes: list[Diagnostic] = []
        if observed.kind or observed.name.written != desired.name or observed.not_shown:
            notes.extend(notes_on_object(desired.name, observed))
            observed = with_assumed(desired, observed)
        if observed.source is not None:
            observed = comparison.as_converted(desired, observed)
        elif _is_clean(desired, observed) and self._policy.is_plain:
            return TablePlan(notes=tuple(notes)) if notes else _NO_CHANGES
        difference = differ(desired, observed)
        if desired.evolution == ADDITIVE:
            difference = with_extras(difference)
        changes, reported = self._changes(difference)
        alignments, mismatches = (
            (AlignTable(table=observed.name, changes=part, desired=desired, observed=observed),) if part else ()
            for part in (changes, reported)
        )
        return TablePlan(align_tables=alignments, mismatches=mismatches, notes=(*notes, *notes_on(difference)))

    def joined(
        self,
        plans: Collection[tuple[TableState, TablePlan]],
        state: CatalogState,
        *,
        other_models: Iterable[TableState] = (),
    ) -> TablePlan:
        """Return the plan of several tables, of which each was compared by itself.

        Args:
            plans: The states that models declare, sorted by name, with their plans by themselves.
            state: What the catalog holds, read for the same tables.
            other_models: The states of other declared tables, as in :meth:`plan`.
        """
        wanted = {table.name: table for table, _ in plans}
        alignments = [action for _, plan in plans for action in plan.align_tables]
        changed_keys = {action.table for action in alignments if action.one(kinds.PrimaryKeyDrop) is not None}
        if changed_keys:
            models = {**{table.name: table for table in other_models}, **wanted}
            alignments = _with_dependent_foreign_keys(alignments, changed_keys, models, state)
        creations = [action for _, plan in plans for action in plan.create_tables]
        parents, stored = {**state.tables, **wanted}, state.tables
        return TablePlan(
            create_tables=tuple(comparison.with_parents(action, parents, stored) for action in creations),
            align_tables=tuple(comparison.with_parents(action, parents, stored) for action in alignments),
            mismatches=tuple(action for _, plan in plans for action in plan.mismatches),
            notes=tuple(remark for _, plan in plans for remark in plan.notes),
        )

    def creation(self, desired: TableState, *, creates_schema: bool = True) -> CreateTable:
        """Return the creation of a table.

        Args:
            desired: Its state.
            creates_schema: Whether its schema has to be created first.
        """
        keys = _key_changes(desired, _NO_KEYS)
        as_new = differ(desired, TableState(name=desired.name, columns=desired.columns))
        checks = [kinds.CheckAdd(**check._asdict()) for check in desired.checks]
        follow = checks if self._checks_follow else []
        properties = {name: value for name, value in desired.table_properties.items() if value is not None}
        return CreateTable(
            table=desired.name,
            columns=desired.columns,
            table_comment=desired.table_comment,
            table_properties=MappingProxyType(
                {
                    **comparison.features_of_new_table(desired),
                    **properties,
                    **comparison.record_of(desired, self._policy),
                }
            ),
            keys=(*follow, *(change for change in keys if not isinstance(change, kinds.ForeignKeyAdd))),
            creates_schema=creates_schema,
            checks=() if self._checks_follow else desired.checks,
            partitioning=desired.partitioning,
            clustering=desired.clustering,
            following=tuple(change for find in comparison.FOLLOWING for change in find(as_new)),
            foreign_keys=tuple(change for change in keys if isinstance(change, kinds.ForeignKeyAdd)),
        )

    def _changes(self, difference: Difference) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
        """Return what is to be changed, and what is only reported."""
        desired = difference.desired
        if is_whole(desired):
            changes = _compared(difference)
            changes.extend(comparison.property_changes(difference, changes, self._enable, self._policy))
            reported = (
                comparison.reported_property_changes(difference, self._policy, MANAGE) if self._policy.modes else ()
            )
            return finished(changes, difference.observed), tuple(with_enabled(reported, difference.observed))
        own = owned(difference)
        changes = [
            change for change in _compared(own) if mode_of(change, desired) == MANAGE or _other_side(change) is not None
        ]
        mismatches = [
            change
            for change in _compared(difference)
            if mode_of(change, desired) == REPORT and not _is_added_again(change)
        ]
        mode = desired.ownership.get("properties", MANAGE)
        changes.extend(comparison.property_changes(own, changes, self._enable, self._policy, declared=mode == MANAGE))
        mismatches.extend(comparison.reported_property_changes(difference, self._policy, mode))
        return finished(changes, difference.observed), finished(mismatches, difference.observed)


def _compared(difference: Difference) -> list[Change]:
    changes = [change for find in comparison.CHANGE_FINDERS for change in find(difference)]
    return changes + _key_changes(difference.desired, difference.observed)


def _key_changes(wanted: TableState, stored: TableState) -> list[Change]:
    if _ALL_KEYS(wanted) == _ALL_KEYS(stored):
        return []
    return [change for find in comparison.KEY_FINDERS for change in find(wanted, stored)]


def _is_clean(desired: TableState, observed: TableState) -> bool:
    """Whether two states are exactly equal, which is the usual case and costs least."""
    return (
        _COMPARED(desired) == _COMPARED(observed)
        and comparison.holds(observed.table_properties, desired.table_properties)
        and comparison.has_tags(desired, observed)
    )


def _with_dependent_foreign_keys(
    alignments: list[AlignTable],
    changed_keys: set[QualifiedName],
    models: Mapping[QualifiedName, TableState],
    state: CatalogState,
) -> list[AlignTable]:
    """Add the changes of the foreign keys that reference the primary keys of some tables."""
    planned = {action.table: action for action in alignments}
    for name, observed in state.tables.items():
        desired = models.get(name, observed)
        manages_keys = desired.ownership.get("foreign_keys", MANAGE) == MANAGE
        own = planned.get(name)
        gone = {change.key for change in own.all(kinds.ForeignKeyDrop)} if own else set()
        kept = [key for key in observed.foreign_keys if key not in gone]
        new = tuple(
            comparison.dependent_foreign_keys((desired if manages_keys else observed).foreign_keys, kept, changed_keys)
        )
        if new:
            changes = [*(own.changes if own else ()), *new]
            planned[name] = AlignTable(
                table=observed.name, changes=ordered(changes, observed), desired=desired, observed=observed
            )
    return [planned[name] for name in sorted(planned)]


def is_whole(desired: TableState) -> bool:
    """Whether a contract manages every aspect, so no change has to be divided."""
    return not desired.ownership and desired.column_order != REPORT


def owned(difference: Difference) -> Difference:
    """Return the part of a difference that the contract manages; the rest is left out as if it were equal."""
    modes = difference.desired.ownership
    if modes.get("columns", MANAGE) != MANAGE:
        renames = difference.renames._replace(done=())
        difference = difference._replace(added=(), dropped=(), renames=renames)
    if modes.get("types", MANAGE) != MANAGE:
        difference = difference._replace(retyped=())
    if modes.get("defaults", MANAGE) != MANAGE:
        added = tuple(placed._replace(column=placed.column._replace(value=None)) for placed in difference.added)
        changed = tuple(
            pair._replace(desired=pair.desired._replace(value=pair.observed.value)) for pair in difference.changed
        )
        difference = difference._replace(added=added, changed=changed)
    if modes.get("checks", MANAGE) != MANAGE:
        names = new_names(difference.renames.done)
        checks = tuple(
            check._replace(expression=comparison.renamed_expression(check.expression, names))
            for check in difference.observed.checks
        )
        difference = difference._replace(desired=replace(difference.desired, checks=checks))
    return difference


def mode_of(change: Change, desired: TableState) -> ContractMode:
    """Return whether a change is made, only reported, or ignored."""
    aspect = change.aspect
    mode = MANAGE if aspect == "conversion" else desired.ownership.get(aspect, MANAGE)
    if isinstance(change, kinds.ColumnMove) and desired.column_order == REPORT and mode != IGNORE:
        return REPORT
    return mode


def _other_side(change: Change) -> CheckState | None:
    """Return the other side of a replaced check: the new one of a drop, the stored one of an add."""
    if isinstance(change, kinds.CheckDrop):
        return change.replaced_by
    return change.replaces if isinstance(change, kinds.CheckAdd) else None


def _is_added_again(change: Change) -> bool:
    """Whether a check is dropped and added again unchanged."""
    return isinstance(change, (kinds.CheckDrop, kinds.CheckAdd)) and _other_side(change) == (
        change.name,
        change.expression,
    )


def finished(changes: list[Change], observed: TableState) -> tuple[Change, ...]:
    """Return the changes of a table in their order, with the features that they enable."""
    return tuple(with_enabled(ordered(changes, observed), observed))


def ordered(changes: list[Change], observed: TableState) -> tuple[Change, ...]:
    """Return the changes of a table in the order in which they run."""
    # Properties come late, but column mapping and table features have to be enabled before the columns that need them.
    early = next((change for change in changes if _enables_others(change, changes, observed)), None)
    return tuple(sorted(changes, key=lambda change: Step.ENABLE_FEATURES if change is early else change.step))


def _enables_others(change: Change, changes: list[Change], observed: TableState) -> bool:
    if not isinstance(change, kinds.SetTableProperties) or not any(
        starmap(allows_changes_of_columns, change.properties.items())
    ):
        return False
    # Without column mapping Delta refuses every change of a table with such a name.
    is_mapped = is_on(MAPPING_PROPERTY, change.properties) and any(special_names(observed.columns))
    return is_mapped or any(other.needs_feature for other in changes)


def notes_on_object(name: QualifiedName, observed: TableState) -> Iterator[Diagnostic]:
    """Yield the notes on a table whose stored name differs, that is no Delta table, or that is not wholly shown."""
    if observed.kind:
        yield note(ReadOnlyObject, name, "", f"is a {observed.kind}, which is only compared")
    if observed.name.written != name:
        message = f"the catalog stores it as {observed.name.written}; names match without case"
        yield note(OtherSpelling, name, "", message)
    if observed.not_shown:
        yield note_on_hidden(name, observed.not_shown)


def note_on_hidden(name: QualifiedName, parts: Iterable[HiddenPart]) -> Diagnostic:
    """Return the note on parts of the columns of a table that the catalog does not show."""
    return note(NotShown, name, "", f"not compared: {', '.join(parts)}; the catalog does not show them")


def notes_on(difference: Difference) -> Iterator[Diagnostic]:
    """Yield the notes on a difference: other spellings, equal expressions, extra columns, possible renames."""
    name = difference.desired.name
    for pair in difference.changed:
        if pair.desired.name != pair.observed.name:
            stored, path = pair.observed.name, str(pair.path)
            fact = f"column {pair.desired.name} is stored as {path}; names match without case"
            reason = "and Delta has no rename by case alone"
            way = f"write {stored} in the model to silence this note, or rename it over a third name in two applies"
            yield note(OtherSpelling, name, part_path("columns", pair.path), f"{fact}, {reason}: {way}")
    for check, other in comparison.cosmetic_differences(difference):
        message = f"check {other.name} is stored as {other.expression}, which is equal to {check.expression}"
        yield note(EqualExpression, name, part_path("checks", other.name), message)
    for column_path, wanted, stored_value in comparison.cosmetic_values(difference):
        message = f"column {column_path} is filled by {stored_value}, which is equal to {wanted}"
        yield note(EqualExpression, name, part_path("columns", column_path), message)
    keys: tuple[KeyState | ForeignKeyState | None, ...] = (
        difference.observed.primary_key,
        *difference.observed.foreign_keys,
    )
    for key in keys:
        if key is not None and key.rely is None:
            message = f"the catalog does not show whether queries may rely on key {key.name}, which is not compared"
            yield note(RelyUnknown, name, key.path, message)
    for extra in difference.extras:
        kind = describe_type(extra.column.data_type)
        message = f"column {extra.path} ({kind}) is not in the model, and stays because the contract is additive"
        yield note(AcceptedColumn, name, part_path("columns", extra.path), message)
    coming = list(difference.added)
    for gone in difference.dropped:
        alike = (new for new in coming if equal_types(new.column.data_type, gone.column.data_type))
        twin = next((new for new in alike if new.above == gone.above), None)
        if twin is not None:
            coming.remove(twin)
            old, new = gone.path, twin.path
            message = f"column {old} is dropped and {new} is added with the same type; if that is a rename, write"
            hint = f"renamed_from={gone.column.name!r} at {new}"
            yield note(PossibleRename, name, part_path("columns", new), f"{message} {hint}")
