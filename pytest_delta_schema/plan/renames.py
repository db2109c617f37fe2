"""Resolve rename hints: a hint is used once and ignored from then on; renames are never guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap
from pytest_delta_schema.plan.changes import ColumnRename
from pytest_delta_schema.state.types import children, edited_columns, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.state.states import RenameState
    from pytest_delta_schema.state.types import ColumnState


class Renames(NamedTuple):
    """The resolved hints of one table."""

    done: tuple[ColumnRename, ...]
    columns: tuple[ColumnState, ...]
    unusable: tuple[tuple[RenameState, str], ...]


def resolve_renames(hints: Sequence[RenameState], columns: tuple[ColumnState, ...]) -> Renames:
    """Resolve every hint against the stored columns."""
    if not hints:
        return Renames((), columns, ())
    done: list[ColumnRename] = []
    unusable: list[tuple[RenameState, str]] = []
    for hint in sorted(hints, key=lambda hint: len(hint.path)):
        above, name = hint.path.parent, hint.path.name
        siblings = _find(columns, above)
        if siblings is None:
            continue  # the struct itself is added, with its fields under their new names
        stored = NameMap.of(siblings)
        new, old = stored.get(name), stored.get(hint.old)
        if new is None and old is None:
            unusable.append((hint, f"neither {hint.old} nor {name} is on the table"))
        elif new is not None and old is not None:
            unusable.append((hint, f"{hint.old} and {name} are both on the table"))
        elif old is not None:
            path = _spelled(columns, above.child(old.name))
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


def _find(columns: tuple[ColumnState, ...], path: ColumnPath) -> tuple[ColumnState, ...] | None:
    if not path:
        return columns
    column = find(columns, path)
    return None if column is None else children(column.data_type)


def _spelled(columns: tuple[ColumnState, ...], path: ColumnPath) -> ColumnPath:
    on_path = [find(columns, prefix) for prefix in path.prefixes()]
    return ColumnPath(*(column.name for column in on_path if column is not None))
