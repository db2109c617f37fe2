"""The planner: compares models with the state of a catalog, without side effects."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.models.modes import ADDITIVE, MANAGE
from pytest_delta_schema.models.names import QualifiedName, require_names
from pytest_delta_schema.models.required_kinds import required_tables
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.aspects.checks import check_changes
from pytest_delta_schema.plan.aspects.columns import column_changes
from pytest_delta_schema.plan.aspects.comments import comment_changes
from pytest_delta_schema.plan.aspects.conversion import as_converted, conversion_changes
from pytest_delta_schema.plan.aspects.defaults import value_changes
from pytest_delta_schema.plan.aspects.foreign_keys import dependent_foreign_keys, foreign_key_changes, with_parents
from pytest_delta_schema.plan.aspects.layout import layout_changes
from pytest_delta_schema.plan.aspects.ownership import is_own, is_reported, is_whole, owned
from pytest_delta_schema.plan.aspects.primary_keys import primary_key_changes
from pytest_delta_schema.plan.aspects.properties import property_changes, record_of, reported_property_changes
from pytest_delta_schema.plan.aspects.tags import first_tags, has_tags, tag_changes
from pytest_delta_schema.plan.aspects.types import features_of_new_table, type_changes
from pytest_delta_schema.plan.aspects.unique import unique_changes
from pytest_delta_schema.plan.change_order import finished, ordered
from pytest_delta_schema.plan.changes import (
    Change,
    ForeignKeyAdd,
    ForeignKeyDrop,
    PrimaryKeyDrop,
)
from pytest_delta_schema.plan.changes.kind import with_enabled
from pytest_delta_schema.plan.difference import differ
from pytest_delta_schema.plan.evolution import with_extras
from pytest_delta_schema.plan.notes import notes_on, notes_on_object
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.plan.table_plan import TablePlan
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.keys import KEY_FIELDS
from pytest_delta_schema.state.states import CatalogState, TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from pytest_delta_schema.delta.names.part_path import Aspect
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.difference import Difference

CHANGE_FINDERS: tuple[Callable[[Difference], Iterable[Change]], ...] = (
    conversion_changes,
    column_changes,
    type_changes,
    check_changes,
    value_changes,
    comment_changes,
    layout_changes,
    tag_changes,
)
"""One comparison for each aspect, except keys, and properties, which depend on the others."""

KEY_ASPECTS: Mapping[Aspect, Callable[[TableState, TableState], Iterable[Change]]] = MappingProxyType(
    {"primary_keys": primary_key_changes, "unique": unique_changes, "foreign_keys": foreign_key_changes}
)
"""The comparison of each aspect of keys."""

_NO_KEYS = TableState(name=QualifiedName("", "", ""))

_ALL_KEYS = attrgetter(*KEY_FIELDS.values())

_MISSING = object()

_COMPARED = attrgetter("columns", "table_comment", *KEY_FIELDS.values(), "checks", "partitioning", "clustering")


class TablePlanner:
    """Plans the changes between models and a catalog.

    Args:
        enable: Table features that a plan may enable where it needs them, ``typeWidening`` and ``columnMapping``;
            others have to be declared by their properties.
        policy: Which table properties the project manages.
    """

    def __init__(
        self,
        *,
        enable: Collection[str] = (),
        policy: PropertyPolicy = PropertyPolicy(),  # noqa: B008 - a frozen value
    ) -> None:
        self._enable = frozenset(require_names(enable, "enable of TablePlanner"))
        if not isinstance(policy, PropertyPolicy):
            refuse_kind("TablePlanner", "a PropertyPolicy", policy, "write PropertyPolicy(...)")
        self._policy = policy

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
        tables = state.tables
        if not all(table.name in tables for table in wanted):
            state.require_all(wanted)
        is_plain = self._policy.is_plain
        creations: list[CreateTable] = []
        alignments: list[AlignTable] = []
        mismatches: list[CreateTable | AlignTable] = []
        notes: list[Diagnostic] = []
        for table in wanted:
            observed = (state.others.get(table.name) if table.read_only else None) or tables[table.name]
            if not observed.exists:
                creation = self.creation(table, creates_schema=not observed.schema_exists)
                (mismatches if table.read_only else creations).append(replace(creation, table=observed.name))
                continue
            if observed.kind or observed.name.written != table.name:
                notes.extend(notes_on_object(table.name, observed))
            if observed.source is not None:
                observed = as_converted(table, observed)
            elif _is_clean(table, observed) and is_plain:
                continue
            difference = _difference(table, observed)
            changes, reported = self._changes(difference)
            notes.extend(notes_on(difference))
            if changes:
                alignments.append(AlignTable(table=observed.name, changes=changes, desired=table, observed=observed))
            if reported:
                mismatches.append(AlignTable(table=observed.name, changes=reported, desired=table, observed=observed))
        changed_keys = {action.table for action in alignments if action.one(PrimaryKeyDrop) is not None}
        if changed_keys:
            models = {table.name: table for table in (*other_models, *wanted)}
            alignments = _with_dependent_foreign_keys(alignments, changed_keys, models, state)
        parents = {**tables, **{table.name: table for table in wanted}}
        return TablePlan(
            create_tables=tuple(with_parents(action, parents, tables) for action in creations),
            align_tables=tuple(with_parents(action, parents, tables) for action in alignments),
            mismatches=tuple(mismatches),
            notes=tuple(notes),
        )

    def creation(self, desired: TableState, *, creates_schema: bool = True) -> CreateTable:
        """Return the creation of a table.

        Args:
            desired: Its state.
            creates_schema: Whether its schema has to be created first.
        """
        keys = _key_changes(desired, _NO_KEYS)
        properties = {name: value for name, value in desired.table_properties.items() if value is not None}
        return CreateTable(
            table=desired.name,
            columns=desired.columns,
            table_comment=desired.table_comment,
            table_properties=MappingProxyType(
                {**features_of_new_table(desired), **properties, **record_of(desired, self._policy)}
            ),
            keys=tuple(change for change in keys if not isinstance(change, ForeignKeyAdd)),
            creates_schema=creates_schema,
            checks=desired.checks,
            partitioning=desired.partitioning,
            clustering=desired.clustering,
            tags=first_tags(desired),
            foreign_keys=tuple(change for change in keys if isinstance(change, ForeignKeyAdd)),
        )

    def _changes(self, difference: Difference) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
        """Return what is to be changed, and what is only reported."""
        desired = difference.desired
        if is_whole(desired):
            changes = _compared(difference)
            changes.extend(property_changes(difference, self._enable, self._policy))
            reported = reported_property_changes(difference, self._policy, MANAGE) if self._policy.modes else ()
            return finished(changes, difference.observed), tuple(with_enabled(reported, difference.observed))
        own = owned(difference)
        changes = [change for change in _compared(own) if is_own(change, desired)]
        mismatches = [change for change in _compared(difference) if is_reported(change, desired)]
        mode = desired.ownership.get("properties", MANAGE)
        changes.extend(property_changes(own, self._enable, self._policy, declared=mode == MANAGE))
        mismatches.extend(reported_property_changes(difference, self._policy, mode))
        return finished(changes, difference.observed), finished(mismatches, difference.observed)


def _difference(desired: TableState, observed: TableState) -> Difference:
    difference = differ(desired, observed)
    return with_extras(difference) if desired.evolution == ADDITIVE else difference


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
        gone = {change.key for change in own.all(ForeignKeyDrop)} if own else set()
        kept = [key for key in observed.foreign_keys if key not in gone]
        new = tuple(dependent_foreign_keys((desired if manages_keys else observed).foreign_keys, kept, changed_keys))
        if new:
            changes = [*(own.changes if own else ()), *new]
            planned[name] = AlignTable(
                table=observed.name, changes=ordered(changes, observed), desired=desired, observed=observed
            )
    return [planned[name] for name in sorted(planned)]


def _is_clean(desired: TableState, observed: TableState) -> bool:
    """Whether two states are exactly equal, which is the usual case and costs least."""
    return (
        _COMPARED(desired) == _COMPARED(observed) and _has_properties(desired, observed) and has_tags(desired, observed)
    )


def _has_properties(desired: TableState, observed: TableState) -> bool:
    stored = observed.table_properties
    for key, value in desired.table_properties.items():  # noqa: SIM110 - a generator would cost as much as all the rest
        if stored.get(key, _MISSING) != value:
            return False
    return True


def _compared(difference: Difference) -> list[Change]:
    changes = [change for aspect in CHANGE_FINDERS for change in aspect(difference)]
    return changes + _key_changes(difference.desired, difference.observed)


def _key_changes(wanted: TableState, stored: TableState) -> list[Change]:
    if _ALL_KEYS(wanted) == _ALL_KEYS(stored):
        return []
    return [change for compare in KEY_ASPECTS.values() for change in compare(wanted, stored)]
