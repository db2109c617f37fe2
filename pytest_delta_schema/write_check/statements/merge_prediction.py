"""Predicts what Delta does with a MERGE from the schemas of its source and its target.

Measured on Delta 4.4.0 with Spark 4.2.0; the source is ``ResolveDeltaMergeInto.scala`` and
``PreprocessTableMerge.scala``.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.features import APPEND_ONLY, is_on
from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath, column_path
from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet, folded
from pytest_delta_schema.state.expressions import paths_in
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.types import StructState, find
from pytest_delta_schema.write_check import schema_findings, storage_findings
from pytest_delta_schema.write_check.casts import has_widening
from pytest_delta_schema.write_check.dependencies import require_unused
from pytest_delta_schema.write_check.frames import duplicate_paths
from pytest_delta_schema.write_check.schema_merge import equal_at_start
from pytest_delta_schema.write_check.schema_merge import merge as merged_schema
from pytest_delta_schema.write_check.statements import statement_findings
from pytest_delta_schema.write_check.statements.assignments import (
    Assignment,
    assigned,
    identity_faults,
    null_parts,
    unresolved_fields,
    updated,
)
from pytest_delta_schema.write_check.statements.merge_options import (
    CLAUSE_KINDS,
    clause_action,
    clause_condition,
    clauses_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql.types import DataType

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.write_check.collector import Collector, WriteFault
    from pytest_delta_schema.write_check.schema_merge import MergedSchema
    from pytest_delta_schema.write_check.statements.merge_options import Action, ClauseKind, Merge

    Columns = tuple[ColumnState, ...]


class _Branch(NamedTuple):
    """The assignments of a clause."""

    kind: ClauseKind
    settled: Columns
    """Columns of the table, at its start, that are assigned columns of the same types by ``*``."""
    assignments: list[Assignment]
    """All other assignments."""


def columns_after_merge(
    source: Columns, state: TableState, merge: Merge, version: tuple[int, int], collector: Collector
) -> MergedSchema:
    """Return the schema of the table after a MERGE, and collect the findings and notes."""
    repeated = duplicate_paths(source)
    resolver = _Resolver(source, repeated, state, merge, version)
    branches: list[_Branch] = []
    for kind in CLAUSE_KINDS:
        for clause in clauses_of(merge, kind):
            branches.append(resolver.branch(kind, clause_action(clause)))
            resolver.condition(kind, clause_condition(clause))
    findings = collector.findings
    findings.extend(resolver.findings())
    moved = _evolved(source, merge, branches) if merge.evolves else ()
    twice = repeated if moved is source else duplicate_paths(moved)
    if twice:
        findings.append(schema_findings.duplicate_column(twice, "DELTA_DUPLICATE_COLUMNS_FOUND.DATA"))
    merged = merged_schema(
        state.columns, () if twice else moved, widens=has_widening(state), version=version, coerces=True
    )
    findings.extend(schema_findings.type_mismatch(conflict, casts=True) for conflict in merged.conflicts)
    if merge.evolves:
        findings.extend(statement_findings.void_columns(merged.columns, version))
    if not findings:
        for branch in branches:
            if branch.kind == "not_matched":
                _inserted(branch, merged.columns, evolves=merge.evolves, collector=collector)
            else:
                findings.extend(identity_faults(branch.settled))
                updated(branch.assignments, merged.columns, evolves=merge.evolves, collector=collector)
        findings.sort(key=lambda finding: finding.condition == schema_findings.NO_CAST)
        findings.extend(require_unused(state, merged.columns))
        if is_on(APPEND_ONLY, state.table_properties) and (merge.matched or merge.not_matched_by_source):
            findings.append(statement_findings.rows_removed("MERGE"))
    return merged


class _Resolver:
    """Finds the columns that the clauses of a MERGE name, in the source and in the table."""

    def __init__(
        self, source: Columns, repeated: list[str], state: TableState, merge: Merge, version: tuple[int, int]
    ) -> None:
        self._condition = statement_findings.merge_unresolved(version)
        self._source = source
        self._columns = state.columns
        self._evolves = merge.evolves
        self._twice = NameSet(path for path in repeated if "." not in path)
        self._equal = 0 if self._twice else equal_at_start(state.columns, source)
        self._ambiguous: list[str] = []
        self._unresolved: list[str] = []
        self._fields: list[ColumnPath] = []

    @cached_property
    def _by_name(self) -> NameMap[ColumnState]:
        return NameMap.of(self._source)

    def branch(self, kind: ClauseKind, action: Action) -> _Branch:
        """Return what a clause assigns."""
        if action == "delete":
            return _Branch(kind, (), [])
        if action == "all":
            return _Branch(kind, self._columns[: self._equal], self._all(kind))
        return _Branch(kind, (), list(self._mapped(kind, action)))

    def condition(self, kind: ClauseKind, text: str | None) -> None:
        """Look up the columns of the condition of a clause."""
        sides = {"target": self._columns, "source": self._source}
        hidden = {"not_matched": "target", "not_matched_by_source": "source"}.get(kind, "")
        for path in paths_in(text) if text else ():
            side, rest = path.root, path.fields
            if side not in sides or not rest:
                matches = [name for name in sides if name != hidden and find(sides[name], path.parts[:1])]
                if len(matches) > 1:
                    self._ambiguous.append(path.root)
                side, rest = (matches or ["source"])[0], tuple(path)
            if side == hidden or find(sides[side], rest) is None:
                self._unresolved.append(f"{'.'.join(rest)} of the {side}")

    def findings(self) -> Iterator[WriteFault]:
        """Yield one finding for all names that have two meanings, and one for those that have none."""
        if self._ambiguous:
            yield statement_findings.ambiguous_columns(dict.fromkeys(self._ambiguous))
        if self._unresolved:
            names = list(dict.fromkeys(self._unresolved))
            yield statement_findings.unresolved_columns("MERGE", names, self._condition)
        yield from unresolved_fields("MERGE", self._fields, self._columns)

    def _all(self, kind: ClauseKind) -> list[Assignment]:
        if self._evolves:
            columns = self._source[self._equal :]
            return list(_leaves(columns, TABLE) if kind == "matched" else _roots(columns))
        matches = []
        for column in self._columns[self._equal :]:
            match = self._in_source(column_path(column.name))
            if match is not None:
                matches.append(Assignment(column_path(column.name), match.data_type, is_constant=False))
        return matches

    def _mapped(self, kind: ClauseKind, action: Mapping[str, str | DataType]) -> Iterator[Assignment]:
        may_add = self._evolves and kind != "not_matched_by_source"
        for name, value in action.items():
            path = ColumnPath.parse(name)
            is_there = find(self._columns, path) is not None or (may_add and find(self._source, path) is not None)
            if not is_there and path.is_nested and path.root in NameSet.of(self._columns):
                self._fields.append(path)
            elif not is_there:
                self._unresolved.append(f"{path} of the target")
            if not isinstance(value, str):
                yield from [Assignment(path, canonical_type(value), is_constant=True)] if is_there else []
            else:
                match = self._in_source(ColumnPath.parse(value))
                if match is not None and is_there:
                    yield Assignment(path, match.data_type, is_constant=False)

    def _in_source(self, path: ColumnPath) -> ColumnState | None:
        if path.root in self._twice:
            self._ambiguous.append(folded(path.root))
            return None
        match = find(self._source, path) if path.is_nested else self._by_name.get(path.root)
        if match is None:
            self._unresolved.append(f"{path} of the source")
        return match


def _leaves(columns: Columns, parent: ColumnPath) -> Iterator[Assignment]:
    """Yield an assignment for each column that is not a struct, and for the fields of those that are."""
    for column in columns:
        path = parent.child(column.name)
        if isinstance(column.data_type, StructState):
            yield from _leaves(column.data_type.fields, path)
        else:
            yield Assignment(path, column.data_type, is_constant=False)


def _roots(columns: Columns) -> Iterator[Assignment]:
    return (Assignment(column_path(column.name), column.data_type, is_constant=False) for column in columns)


def _evolved(source: Columns, merge: Merge, branches: list[_Branch]) -> Columns:
    """Return the part of the source that the clauses assign, which the schema of the table evolves to."""
    kinds: tuple[ClauseKind, ...] = ("matched", "not_matched")
    if any(clause_action(clause) == "all" for kind in kinds for clause in clauses_of(merge, kind)):
        return source
    paths = [assignment.path for branch in branches if branch.kind in kinds for assignment in branch.assignments]
    return _assigned_parts(source, TABLE, paths)


def _assigned_parts(columns: Columns, parent: ColumnPath, paths: list[ColumnPath]) -> Columns:
    kept = []
    for column in columns:
        path = parent.child(column.name)
        if path in paths:
            kept.append(column)
        elif isinstance(column.data_type, StructState) and any(other.starts_with(path) for other in paths):
            fields = _assigned_parts(column.data_type.fields, path, paths)
            kept.append(column._replace(data_type=StructState(fields)))
    return tuple(kept)


def _inserted(branch: _Branch, columns: Columns, *, evolves: bool, collector: Collector) -> None:
    """Collect the findings and notes of an INSERT clause; the columns are those of the table after it."""
    findings, assignments = collector.findings, branch.assignments
    nested = [str(assignment.path) for assignment in assignments if assignment.path.is_nested]
    if nested:
        findings.append(statement_findings.nested_insert(nested))
        return
    given = NameMap((assignment.path.root, assignment) for assignment in assignments)
    always = [column for column in branch.settled if column.value is not None and _is_always_counted(column)]
    findings.extend(storage_findings.explicit_identity_insert(column.name) for column in always)
    for column in columns[len(branch.settled) :]:
        generation, assignment = column.value, given.get(column.name)
        if assignment is None:
            if generation is None:
                findings.extend(null_parts(column_path(column.name), column, None))
            collector.note(column.name, f"{column.name} is not inserted: {storage_findings.filled_by(column)}")
            continue
        if _is_always_counted(column):
            findings.append(storage_findings.explicit_identity_insert(column.name))
        assigned(assignment, column, evolves=evolves, collector=collector)


def _is_always_counted(column: ColumnState) -> bool:
    identity = column.value and column.value.identity
    return bool(identity and identity.is_always)
