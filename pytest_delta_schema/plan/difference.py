"""Pair the columns of two states of a table, and the fields below them, for the comparison of all aspects."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names import TABLE, ColumnPath, NameMap, NameSet, folded
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ColumnRename
from pytest_delta_schema.state.desired import spelled
from pytest_delta_schema.state.states import DEFAULTS, GENERATED_COLUMNS, NESTED_COMMENTS, NESTED_NOT_NULL
from pytest_delta_schema.state.types import (
    children,
    columns_below,
    edited_columns,
    find,
    is_generated,
    parts_below,
    same_kind,
    with_children,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.state.states import HiddenPart, RenameState, TableState
    from pytest_delta_schema.state.types import ColumnState


class Renames(NamedTuple):
    """The resolved hints of one table."""

    done: tuple[ColumnRename, ...]
    columns: tuple[ColumnState, ...]
    unusable: tuple[tuple[RenameState, str], ...]


_BY_PATH = attrgetter("path.folded")


class ColumnPair(NamedTuple):
    """A column or a field of both states that differs in anything, spelling included."""

    desired: ColumnState
    observed: ColumnState
    """The stored one, under its new name if it is renamed."""
    path: ColumnPath
    """The whole path, as stored."""


class PlacedColumn(NamedTuple):
    """A column or a field of one state only, with its path."""

    column: ColumnState
    path: ColumnPath

    @property
    def above(self) -> ColumnPath:
        """The path of the struct, array or map that it is a part of; empty for columns."""
        return self.path.parent


class Difference(NamedTuple):
    """Both states and the columns and fields in which they differ; equal ones are left out."""

    desired: TableState
    observed: TableState
    renames: Renames
    """What is renamed, and which hints cannot be used; the paths of all other fields are those after it."""
    added: tuple[PlacedColumn, ...]
    """Wanted ones that are not stored, in declaration order."""
    dropped: tuple[PlacedColumn, ...]
    """Stored ones that are not wanted, by path."""
    changed: tuple[ColumnPair, ...]
    """Those of both states that are not exactly equal, by path."""
    retyped: tuple[ColumnPair, ...]
    """Those among them whose own type differs, and not only something below it."""
    extras: tuple[PlacedColumn, ...] = ()
    """Stored ones that are not wanted and that the contract accepts."""


def with_assumed(desired: TableState, observed: TableState) -> TableState:
    """Return what was read of a table, with what its catalog does not show as the model wants it."""
    if not observed.not_shown:
        return observed
    hidden = frozenset(observed.not_shown)
    names = {(*hint.path.parent.folded, folded(hint.old)): hint.path.name for hint in desired.renames}

    def assumed(
        stored: tuple[ColumnState, ...], wanted: Iterable[ColumnState], above: tuple[str, ...]
    ) -> Iterator[ColumnState]:
        by_name = NameMap.of(wanted)
        for column in stored:
            name = names.get((*above, folded(column.name)), column.name)
            twin = by_name.get(name) or column
            parts = children(column.data_type)
            if parts:
                inner = tuple(assumed(parts, children(twin.data_type), (*above, folded(name))))
                column = column._replace(data_type=with_children(column.data_type, inner))  # noqa: PLW2901 - a step
            yield _assumed(column, twin, hidden, is_nested=bool(above))

    return replace(observed, columns=tuple(assumed(observed.columns, desired.columns, ())))


def _assumed(column: ColumnState, twin: ColumnState, hidden: frozenset[str], *, is_nested: bool) -> ColumnState:
    """Return a column, without what is below it, with what is hidden of it taken from another column."""
    if is_nested:
        return column._replace(
            is_nullable=twin.is_nullable if NESTED_NOT_NULL in hidden else column.is_nullable,
            comment=twin.comment if NESTED_COMMENTS in hidden else column.comment,
        )
    is_hidden = (GENERATED_COLUMNS if is_generated(twin) else DEFAULTS) in hidden
    return column._replace(value=twin.value) if is_hidden and column.value is None else column


def unproven(action: CreateTable | AlignTable, observed: TableState) -> tuple[HiddenPart, ...]:
    """Return what an action has changed and its catalog does not show."""
    if not observed.not_shown:
        return ()
    if isinstance(action, CreateTable):
        changed = {part for column in action.columns for part in _hideable(column, is_nested=False)}
    else:
        difference = differ(action.desired, action.observed)
        changed = {part for new in difference.added for part in _hideable(new.column, is_nested=new.path.is_nested)}
        for pair in difference.changed:
            own = (frozenset(_own(column, is_nested=pair.path.is_nested)) for column in (pair.desired, pair.observed))
            changed.update(part for part, _ in frozenset.symmetric_difference(*own))
    return tuple(part for part in observed.not_shown if part in changed)


def _hideable(column: ColumnState, *, is_nested: bool) -> Iterator[HiddenPart]:
    """Yield what a new column has that a catalog may not show."""
    yield from (part for part, _ in _own(column, is_nested=is_nested))
    for inner in parts_below(column.data_type):
        yield from (part for part, _ in _own(inner, is_nested=True))


def _own(column: ColumnState, *, is_nested: bool) -> Iterator[tuple[HiddenPart, object]]:
    """Yield what a column has that a catalog may not show, without what is below it."""
    if column.value is not None:
        yield GENERATED_COLUMNS if is_generated(column) else DEFAULTS, column.value
    if is_nested and not column.is_nullable:
        yield NESTED_NOT_NULL, True
    if is_nested and column.comment:
        yield NESTED_COMMENTS, column.comment


def differ(desired: TableState, observed: TableState) -> Difference:
    """Pair the columns of two states, and the fields below them, by name without case."""
    renames = resolve_renames(desired.renames, observed.columns)
    added: list[PlacedColumn] = []
    dropped: list[PlacedColumn] = []
    changed: list[ColumnPair] = []
    retyped: list[ColumnPair] = []
    todo: list[tuple[ColumnPath, tuple[ColumnState, ...], tuple[ColumnState, ...]]]
    todo = [(TABLE, desired.columns, renames.columns)]
    while todo:
        above, wanted, stored = todo.pop(0)
        pairs, new, gone = _paired(above, wanted, stored)
        changed += pairs
        if new:
            added += [PlacedColumn(column, above.child(column.name)) for column in new]
        if gone:
            dropped += [PlacedColumn(column, above.child(column.name)) for column in gone]
        for pair in pairs:
            left, right = pair.desired.data_type, pair.observed.data_type
            if left == right:
                continue
            if same_kind(left, right):
                todo.append((pair.path, children(left), children(right)))
            else:
                retyped.append(pair)
    changed.sort(key=_BY_PATH)
    retyped.sort(key=_BY_PATH)
    dropped.sort(key=_BY_PATH)
    return Difference(desired, observed, renames, tuple(added), tuple(dropped), tuple(changed), tuple(retyped))


def _paired(
    above: ColumnPath, wanted: tuple[ColumnState, ...], stored: tuple[ColumnState, ...]
) -> tuple[list[ColumnPair], list[ColumnState], Iterable[ColumnState]]:
    """Return the pairs that differ, the wanted ones that are not stored, and the stored ones that are not wanted."""
    pairs: list[ColumnPair] = []
    unpaired: list[ColumnState] = []
    rest: list[ColumnState] = list(stored[len(wanted) :])
    # Most columns have the same position in both states; only the others need a look-up by name.
    for column, other in zip(wanted, stored, strict=False):
        if column == other:
            continue
        if column[0] == other[0]:
            pairs.append(ColumnPair(column, other, above.child(other.name)))
        else:
            unpaired.append(column)
            rest.append(other)
    unpaired.extend(wanted[len(stored) :])
    if not rest:
        return pairs, unpaired, ()
    by_name = NameMap.of(rest)
    added: list[ColumnState] = []
    for column in unpaired:
        match = by_name.pop(column.name)
        if match is None:
            added.append(column)
        elif column != match:
            pairs.append(ColumnPair(column, match, above.child(match.name)))
    return pairs, added, by_name.values()


def with_extras(difference: Difference) -> Difference:
    """Separate the undeclared columns that an additive contract accepts from those that are dropped."""
    parents = {placed.above for placed in difference.dropped}
    accepted = {id(column) for above in parents for column in _tail(difference, above) if column.is_nullable}
    extras = tuple(placed for placed in difference.dropped if id(placed.column) in accepted)
    return difference._replace(
        dropped=tuple(placed for placed in difference.dropped if id(placed.column) not in accepted), extras=extras
    )


def place_of(added: PlacedColumn, difference: Difference) -> str | None:
    """Return the column after which a new one is added: ``""`` for the first position, ``None`` for the last."""
    extras = NameSet.of(extra.column for extra in difference.extras if extra.above == added.above)
    if not extras:
        return None
    declared = [
        column.name for column in columns_below(difference.renames.columns, added.above) if column.name not in extras
    ]
    before = takewhile(lambda other: other != added, difference.added)
    declared += [other.column.name for other in before if other.above == added.above]
    return declared[-1] if declared else ""


def _tail(difference: Difference, above: ColumnPath) -> Iterator[ColumnState]:
    """Yield the stored columns, or fields of one struct, after the last declared one, in reverse order."""
    undeclared = {id(placed.column) for placed in difference.dropped}
    for column in reversed(columns_below(difference.renames.columns, above)):
        if id(column) not in undeclared:
            return
        yield column


def resolve_renames(hints: Sequence[RenameState], columns: tuple[ColumnState, ...]) -> Renames:
    """Resolve every hint against the stored columns."""
    if not hints:
        return Renames((), columns, ())
    done: list[ColumnRename] = []
    unusable: list[tuple[RenameState, str]] = []
    for hint in sorted(hints, key=lambda hint: len(hint.path)):
        above, name = hint.path.parent, hint.path.name
        if above and find(columns, above) is None:
            continue  # the struct itself is added, with its fields under their new names
        stored = NameMap.of(columns_below(columns, above))
        new, old = stored.get(name), stored.get(hint.old)
        if new is None and old is None:
            unusable.append((hint, f"neither {hint.old} nor {name} is on the table"))
        elif new is not None and old is not None:
            unusable.append((hint, f"{hint.old} and {name} are both on the table"))
        elif old is not None:
            path = spelled(columns, above.child(old.name))
            done.append(ColumnRename(path=path, to=name))
            columns = renamed(columns, path, name)
    return Renames(tuple(done), columns, tuple(unusable))


def renamed(columns: tuple[ColumnState, ...], path: ColumnPath, to: str) -> tuple[ColumnState, ...]:
    """Return columns of which one, or a field below one, has a different name."""
    return edited_columns(columns, path.parts, lambda column: column._replace(name=to))


def new_names(renames: Iterable[ColumnRename]) -> dict[ColumnPath, str]:
    """Return the new name of each renamed column and field, by its path before all renames."""
    names: dict[ColumnPath, str] = {}
    before: dict[ColumnPath, ColumnPath] = {}
    for rename in renames:
        old = _before(rename.path, before)
        names[old] = rename.to
        before[rename.path.parent.child(rename.to)] = old
    return names


def old_names(renames: Iterable[ColumnRename]) -> dict[ColumnPath, str]:
    """Return the old name of each renamed column and field, by its path after all renames."""
    return {rename.path.parent.child(rename.to): rename.path.name for rename in renames}


def with_names(path: ColumnPath, names: Mapping[ColumnPath, str]) -> ColumnPath:
    """Replace every part of a path that has a name in ``names``."""
    if not names:
        return path
    return ColumnPath(*(names.get(prefix, prefix.name) for prefix in path.prefixes()))


def _before(path: ColumnPath, before: Mapping[ColumnPath, ColumnPath]) -> ColumnPath:
    """Return a path before the columns above it were renamed."""
    original = TABLE
    for prefix in path.prefixes():
        original = before.get(prefix, original.child(prefix.name))
    return original
