"""Columns that checks and generated columns are made of, whose types no write changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.state.types import StructState, below, plain
from pytest_delta_schema.write_check import findings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState
    from pytest_delta_schema.write_check.verdict import Finding

Path = tuple[str, ...]


def require_unused(state: TableState, query: Sequence[ColumnState]) -> Iterator[Finding]:
    """Yield a finding for every column of another type that a check or a generated column of the table is made of.

    Delta asks this of every write that casts nothing, before it looks whether the types could be merged.
    """
    users = list(_users(state))
    if not users:
        return
    for path, stored, given in _differing(state.columns, query, ()):
        folded = tuple(part.lower() for part in path)
        for label, paths, generated in users:
            if folded in paths:
                yield findings.used_by(path, stored, given, label, generated=generated)


def stranded(state: TableState, kept: Collection[str]) -> Iterator[str]:
    """Yield a note for every check that stays although a column that it is made of goes.

    Args:
        state: The table.
        kept: The columns that stay, in lower case.
    """
    for check in state.checks:
        gone = ", ".join(sorted({path[0] for path in _paths(check.expression)} - {*kept}))
        if gone:
            yield f"check {check.name} stays without its column {gone}, so that every later write fails: drop it first"


def _users(state: TableState) -> Iterator[tuple[str, set[Path], bool]]:
    """Yield what is made of columns: what it is called, the paths it names, and whether it is a generated column."""
    for check in state.checks:
        yield f"check {check.name}", _paths(check.expression), False
    for column in state.columns:
        if column.value is not None and column.value.generated is not None:
            yield f"the generated column {column.name}", _paths(column.value.generated), True


def _paths(expression: str) -> set[Path]:
    from pytest_delta_schema.state.expressions import paths_in

    return {tuple(part.lower() for part in path) for path in paths_in(expression)}


def _differing(
    columns: Sequence[ColumnState], frame: Sequence[ColumnState], above: Path
) -> Iterator[tuple[Path, DataTypeState, DataTypeState]]:
    given = {column.name.lower(): column for column in frame}
    for column in columns:
        match = given.get(column.name.lower())
        if match is None or _same(column.data_type, match.data_type):
            continue
        path = (*above, column.name)
        yield path, column.data_type, match.data_type
        if type(column.data_type) is type(match.data_type):
            yield from _differing(below(column.data_type), below(match.data_type), path)


def _same(stored: DataTypeState, given: DataTypeState) -> bool:
    """Whether two types are one, case and nullability aside."""
    if isinstance(stored, str) or isinstance(given, str):
        return plain(stored) == plain(given)
    left, right = below(stored), below(given)
    names = isinstance(stored, StructState) and [f.name.lower() for f in left] != [f.name.lower() for f in right]
    return (
        type(stored) is type(given)
        and not names
        and all(_same(one.data_type, other.data_type) for one, other in zip(left, right, strict=True))
    )
