"""Resolve rename hints: a hint is used once and ignored from then on; renames are never guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.plan.changes import ColumnRename
from pytest_delta_schema.state.types import below, with_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import RenameState
    from pytest_delta_schema.state.types import ColumnState


class Renames(NamedTuple):
    """The resolved hints of one table.

    Args:
        done: The renames to execute, columns before the fields below them.
        columns: The stored columns after them.
        unusable: Hints that can be neither used nor ignored, each with the reason.
    """

    done: tuple[ColumnRename, ...]
    columns: tuple[ColumnState, ...]
    unusable: tuple[tuple[RenameState, str], ...]


def resolve_renames(hints: Sequence[RenameState], columns: tuple[ColumnState, ...]) -> Renames:
    """Resolve every hint against the stored columns.

    Args:
        hints: From the wanted state.
        columns: The stored columns.
    """
    if not hints:
        return Renames((), columns, ())
    done: list[ColumnRename] = []
    unusable: list[tuple[RenameState, str]] = []
    for hint in sorted(hints, key=lambda hint: len(hint.path)):
        *above, name = hint.path
        siblings = _find(columns, above)
        if siblings is None:
            continue  # the struct itself is added, with its fields under their new names
        stored = {column.name.lower(): column.name for column in siblings}
        new, old = stored.get(name.lower()), stored.get(hint.old.lower())
        if new is None and old is None:
            unusable.append((hint, f"neither {hint.old} nor {name} is on the table"))
        elif new is not None and old is not None:
            unusable.append((hint, f"{hint.old} and {name} are both on the table"))
        elif old is not None:
            path = _spelled(columns, [*above, old])
            done.append(ColumnRename(name=path[0], fields=path[1:], to=name))
            columns = _renamed(columns, path, name)
    return Renames(tuple(done), columns, tuple(unusable))


def rename_changes(difference: Difference) -> Iterator[Change]:
    """Yield the columns and fields to rename."""
    yield from difference.renames.done


def new_names(renames: Iterable[ColumnRename]) -> dict[tuple[str, ...], str]:
    """Return the new name of each renamed column and field, by its path before all renames, in lower case."""
    names: dict[tuple[str, ...], str] = {}
    before: dict[tuple[str, ...], tuple[str, ...]] = {}
    for rename in renames:
        path = tuple(part.lower() for part in rename.path)
        old = _before(path, before)
        names[old] = rename.to
        before[(*path[:-1], rename.to.lower())] = old
    return names


def old_names(renames: Iterable[ColumnRename]) -> dict[tuple[str, ...], str]:
    """Return the old name of each renamed column and field, by its path after all renames, in lower case."""
    return {(*(part.lower() for part in rename.path[:-1]), rename.to.lower()): rename.path[-1] for rename in renames}


def with_names(path: Iterable[str], names: dict[tuple[str, ...], str]) -> tuple[str, ...]:
    """Replace every part of a path that has a name in ``names``.

    Args:
        path: Of a column or field.
        names: Names by path, in lower case.
    """
    parts: list[str] = []
    here: tuple[str, ...] = ()
    for part in path:
        here = (*here, part.lower())
        parts.append(names.get(here, part))
    return tuple(parts)


def _before(path: tuple[str, ...], before: dict[tuple[str, ...], tuple[str, ...]]) -> tuple[str, ...]:
    """Return a path before the columns above it were renamed."""
    original: tuple[str, ...] = ()
    for length, part in enumerate(path, start=1):
        original = before.get(path[:length], (*original, part))
    return original


def _find(columns: tuple[ColumnState, ...], path: Iterable[str]) -> tuple[ColumnState, ...] | None:
    for part in path:
        match = next((column for column in columns if column.name.lower() == part.lower()), None)
        if match is None:
            return None
        columns = below(match.data_type)
    return columns


def _spelled(columns: tuple[ColumnState, ...], path: Iterable[str]) -> tuple[str, ...]:
    spelled: list[str] = []
    for part in path:
        match = next(column for column in columns if column.name.lower() == part.lower())
        spelled.append(match.name)
        columns = below(match.data_type)
    return tuple(spelled)


def _renamed(columns: tuple[ColumnState, ...], path: tuple[str, ...], to: str) -> tuple[ColumnState, ...]:
    def rename(column: ColumnState) -> ColumnState:
        if column.name != path[0]:
            return column
        if len(path) == 1:
            return column._replace(name=to)
        inner = _renamed(below(column.data_type), path[1:], to)
        return column._replace(data_type=with_below(column.data_type, inner))

    return tuple(map(rename, columns))
