"""Assignments of values to the columns of a table, as MERGE and UPDATE make them.

Measured on Delta 4.4.0 with Spark 4.2.0; the source is ``UpdateExpressionsSupport.scala``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.column_path import ELEMENT, KEY, VALUE, column_path
from pytest_delta_schema.delta.names.folded_names import NameMap
from pytest_delta_schema.state.type_traversal import not_null_paths
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, children, find, plain
from pytest_delta_schema.write_check import schema_findings, storage_findings
from pytest_delta_schema.write_check.castable import is_castable
from pytest_delta_schema.write_check.schema_merge import TypeDifference
from pytest_delta_schema.write_check.statements import statement_findings
from pytest_delta_schema.write_check.storable_types import BY_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.types import ColumnState, DataTypeState
    from pytest_delta_schema.write_check.collector import Collector, WriteFault


class Assignment(NamedTuple):
    """A value that is assigned to a column, or to a field of one."""

    path: ColumnPath
    given: DataTypeState
    is_constant: bool
    """Whether it is an expression, whose type is void if it is the literal NULL."""


def unresolved_fields(
    statement: str, paths: Sequence[ColumnPath], columns: Sequence[ColumnState]
) -> Iterator[WriteFault]:
    """Yield a finding for fields that a statement assigns, and that columns of the table do not have."""
    conditions: dict[str, list[str]] = {}
    for path in paths:
        parent = find(columns, path.parent)
        is_struct = parent is None or isinstance(parent.data_type, StructState)
        condition = "FIELD_NOT_FOUND" if is_struct else "INVALID_EXTRACT_BASE_FIELD_TYPE"
        conditions.setdefault(condition, []).append(str(path))
    for condition, names in conditions.items():
        yield statement_findings.unresolved_columns(statement, names, condition)


def updated(
    assignments: Sequence[Assignment], columns: Sequence[ColumnState], *, evolves: bool, collector: Collector
) -> None:
    """Collect the findings and notes of an update; all paths are in the columns, which are those after it."""
    if not assignments:
        return
    findings = collector.findings
    conflicts = _conflicts(assignments)
    if conflicts:
        findings.append(statement_findings.conflicting_assignments(conflicts))
    by_name = NameMap.of(columns)
    roots = dict.fromkeys(assignment.path.root for assignment in assignments)
    findings.extend(identity_faults([by_name[root] for root in roots]))
    for assignment in assignments:
        target = by_name[assignment.path.root]
        for name in assignment.path.fields:
            target = NameMap.of(children(target.data_type))[name]
        assigned(assignment, target, evolves=evolves, collector=collector)


def identity_faults(columns: Iterable[ColumnState]) -> Iterator[WriteFault]:
    """Yield a finding for every identity column that an update sets."""
    for column in columns:
        if column.value is not None and column.value.identity is not None:
            yield statement_findings.identity_update(column.name)


def assigned(assignment: Assignment, column: ColumnState, *, evolves: bool, collector: Collector) -> None:
    """Collect the finding and the note of one assignment."""
    path, given, is_constant = assignment
    is_null = is_constant and given == "void"
    if is_null and not column.is_nullable:
        collector.findings.append(statement_findings.null_assigned(path))
    if is_null or given == column.data_type:
        return
    fault = next(_faults(TypeDifference(path=path, stored=column.data_type, given=given), evolves=evolves), None)
    if fault is not None:
        collector.findings.append(fault)
        return
    if given != "void":
        collector.findings.extend(null_parts(path, column, given))
    if given != "void" and plain(given) != plain(column.data_type):
        difference = TypeDifference(path=path, stored=column.data_type, given=given)
        collector.note(str(path), schema_findings.cast_note(difference))


def null_parts(path: ColumnPath, column: ColumnState, given: DataTypeState | None) -> Iterator[WriteFault]:
    """Yield a finding for every NOT NULL part of a column that is assigned NULL, which every row breaks."""
    if column.is_nullable and isinstance(column.data_type, str):
        return
    for part in not_null_paths((column,)):
        if given is None or find((column._replace(data_type=given),), part) is None:
            yield storage_findings.missing_not_null_column(column_path(*path.parent, *part), BY_ROWS)


def _conflicts(assignments: Sequence[Assignment]) -> list[str]:
    """Return the paths that are assigned twice, or whose parts are assigned."""
    paths = sorted(assignment.path for assignment in assignments)
    twice = [pair for pair in pairwise(paths) if pair[1].starts_with(pair[0])]
    return [str(path) for path in dict.fromkeys(path for pair in twice for path in pair)]


def _faults(difference: TypeDifference, *, evolves: bool) -> Iterator[WriteFault]:
    """Yield the findings of a cast, in which structs match by name."""
    path, stored, given = difference.path, difference.stored, difference.given
    if given == stored:
        return
    if isinstance(stored, StructState) and isinstance(given, StructState):
        wanted = NameMap.of(stored.fields)
        is_known = all(field.name in wanted for field in given.fields)
        if not is_known or (len(given.fields) != len(stored.fields) and not evolves):
            yield statement_findings.struct_mismatch(difference)
        for field in given.fields if is_known else ():
            match = wanted[field.name]
            part = TypeDifference(path=path.child(match.name), stored=match.data_type, given=field.data_type)
            yield from _faults(part, evolves=evolves)
    elif isinstance(stored, ArrayState) and isinstance(given, ArrayState) and _has_struct(given.element):
        part = TypeDifference(path=path.child(ELEMENT), stored=stored.element, given=given.element)
        yield from _faults(part, evolves=evolves)
    elif isinstance(stored, MapState) and isinstance(given, MapState) and _has_struct(given):
        for name, old, new in ((KEY, stored.key, given.key), (VALUE, stored.value, given.value)):
            yield from _faults(TypeDifference(path=path.child(name), stored=old, given=new), evolves=evolves)
    elif not is_castable(given, stored):
        yield schema_findings.unsupported_cast(difference)


def _has_struct(data_type: DataTypeState) -> bool:
    if isinstance(data_type, ArrayState):
        return _has_struct(data_type.element)
    if isinstance(data_type, MapState):
        return _has_struct(data_type.key) or _has_struct(data_type.value)
    return isinstance(data_type, StructState)
