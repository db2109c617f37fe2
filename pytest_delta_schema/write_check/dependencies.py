"""Columns that checks and generated columns depend on; a write cannot change their types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet, same_names
from pytest_delta_schema.state.expressions import paths_in
from pytest_delta_schema.state.types import StructState, children, plain
from pytest_delta_schema.write_check import schema_findings
from pytest_delta_schema.write_check.schema_merge import TypeDifference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState
    from pytest_delta_schema.write_check.collector import Collector, WriteFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependent:
    """A check or a generated column, and the columns that its expression names."""

    label: str
    """What messages call it."""
    paths: frozenset[ColumnPath]
    is_generated: bool


def require_unused(state: TableState, frame: Sequence[ColumnState]) -> Iterator[WriteFault]:
    """Yield a finding for every column of another type that a check or a generated column depends on.

    Delta checks this for every write that does not cast, before it merges the types.
    """
    dependents = list(_dependents(state))
    if not dependents:
        return
    for difference in _differences(state.columns, frame, TABLE):
        for dependent in dependents:
            if difference.path in dependent.paths:
                yield schema_findings.column_in_use(difference, dependent.label, is_generated=dependent.is_generated)


def note_broken_checks(state: TableState, kept: NameSet, collector: Collector) -> None:
    """Add a note on every check that loses a column which its expression names."""
    for check in state.checks:
        columns = {path.root for path in _paths(check.expression)}
        lost = ", ".join(sorted(columns.difference(kept)))
        if lost:
            fact = f"check {check.name} stays without its column {lost}, so every later write fails: drop it first"
            collector.note(f"checks.{check.name}", fact)


def _dependents(state: TableState) -> Iterator[Dependent]:
    for check in state.checks:
        yield Dependent(label=f"check {check.name}", paths=_paths(check.expression), is_generated=False)
    for column in state.columns:
        if column.value is not None and column.value.generated is not None:
            label = f"the generated column {column.name}"
            yield Dependent(label=label, paths=_paths(column.value.generated), is_generated=True)


def _paths(expression: str) -> frozenset[ColumnPath]:
    return frozenset(paths_in(expression))


def _differences(
    columns: Sequence[ColumnState], frame: Sequence[ColumnState], parent: ColumnPath
) -> Iterator[TypeDifference]:
    given = NameMap.of(frame)
    for column in columns:
        match = given.get(column.name)
        if match is None or _same(column.data_type, match.data_type):
            continue
        path = parent.child(column.name)
        yield TypeDifference(path=path, stored=column.data_type, given=match.data_type)
        if type(column.data_type) is type(match.data_type):
            yield from _differences(children(column.data_type), children(match.data_type), path)


def _same(stored: DataTypeState, given: DataTypeState) -> bool:
    """Whether two types are equal but for the case of names and nullability."""
    if isinstance(stored, str) or isinstance(given, str):
        return plain(stored) == plain(given)
    left, right = children(stored), children(given)
    is_renamed = isinstance(stored, StructState) and not same_names(
        (column.name for column in left), (column.name for column in right)
    )
    return (
        type(stored) is type(given)
        and not is_renamed
        and all(_same(one.data_type, other.data_type) for one, other in zip(left, right, strict=True))
    )
