"""Predict what Delta does with an UPDATE, a DELETE, an INSERT and a MERGE."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.char_varchar import padded_length
from pytest_delta_schema.delta.names import (
    ELEMENT,
    KEY,
    TABLE,
    VALUE,
    ColumnPath,
    NameMap,
    NameSet,
    column_path,
    folded,
)
from pytest_delta_schema.delta.protocol import APPEND_ONLY, is_on
from pytest_delta_schema.state.expressions import paths_in
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.types import (
    ArrayState,
    ColumnState,
    MapState,
    StructState,
    atoms_with_paths,
    children,
    find,
    not_null_paths,
    plain,
    same_kind,
)
from pytest_delta_schema.write_check import findings
from pytest_delta_schema.write_check.schemas import TypeDifference, equal_at_start, is_castable, merge_schemas
from pytest_delta_schema.write_check.values import (
    BY_ROWS,
    fits_without_cast,
    has_widening,
    note_lengths,
    require_unused,
)
from pytest_delta_schema.write_check.verdict import CLAUSE_KINDS, clause_action, clause_condition, clauses_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql.types import DataType

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.findings import Collector, WriteFault
    from pytest_delta_schema.write_check.schemas import MergedSchema
    from pytest_delta_schema.write_check.verdict import Action, ClauseKind, Merge, WriteSemantics


Columns = tuple[ColumnState, ...]


class Assignment(NamedTuple):
    """A value that is assigned to a column, or to a field of one."""

    path: ColumnPath
    given: DataTypeState
    is_constant: bool
    """Whether it is an expression, whose type is void if it is the literal NULL."""


def update_faults(given: Sequence[ColumnState], state: TableState, collector: Collector) -> None:
    """Collect the findings and notes of an UPDATE that sets columns to values of the given types."""
    assignments = [Assignment(ColumnPath.parse(column.name), column.data_type, is_constant=True) for column in given]
    refused = collector.findings
    unknown = [assignment.path for assignment in assignments if find(state.columns, assignment.path) is None]
    known = NameSet.of(state.columns)
    columns = [str(path) for path in unknown if path.root not in known]
    if columns:
        refused.append(findings.unresolved_columns("UPDATE", columns, "UNRESOLVED_COLUMN"))
    refused.extend(unresolved_fields("UPDATE", [path for path in unknown if path.root in known], state.columns))
    if refused:
        return
    refused.extend(nested_char_faults(state, "UPDATE"))
    updated(assignments, state.columns, evolves=False, collector=collector)
    refused.sort(key=lambda finding: finding.condition == findings.NO_CAST)
    delete_faults(state, collector, statement="UPDATE")


def nested_char_faults(state: TableState, statement: str) -> Iterator[WriteFault]:
    """Yield the finding of a statement on a table with a generated column and a char inside another type.

    Spark puts a projection over a table to pad such values, and Delta takes it for a view (Delta 4.4.0).
    """
    generated = next((c.name for c in state.columns if c.value is not None and c.value.generated is not None), None)
    if generated is None:
        return
    paths = [
        path
        for column in state.columns
        for path, data_type in atoms_with_paths(column.data_type, ColumnPath(column.name))
        if path.is_nested and padded_length(data_type) is not None
    ]
    if paths:
        yield findings.nested_char(paths, generated, statement)


def delete_faults(state: TableState, collector: Collector, *, statement: str = "DELETE") -> None:
    """Collect the finding of a DELETE."""
    if is_on(APPEND_ONLY, state.table_properties):
        collector.findings.append(findings.rows_removed(statement))


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
        yield findings.unresolved_columns(statement, names, condition)


def updated(
    assignments: Sequence[Assignment], columns: Sequence[ColumnState], *, evolves: bool, collector: Collector
) -> None:
    """Collect the findings and notes of an update; all paths are in the columns, which are those after it."""
    if not assignments:
        return
    refused = collector.findings
    conflicts = _conflicts(assignments)
    if conflicts:
        refused.append(findings.conflicting_assignments(conflicts))
    by_name = NameMap.of(columns)
    roots = dict.fromkeys(assignment.path.root for assignment in assignments)
    refused.extend(identity_faults([by_name[root] for root in roots]))
    for assignment in assignments:
        target = by_name[assignment.path.root]
        for name in assignment.path.fields:
            target = NameMap.of(children(target.data_type))[name]
        assigned(assignment, target, evolves=evolves, collector=collector)


def identity_faults(columns: Iterable[ColumnState]) -> Iterator[WriteFault]:
    """Yield a finding for every identity column that an update sets."""
    for column in columns:
        if column.value is not None and column.value.identity is not None:
            yield findings.identity_update(column.name)


def assigned(assignment: Assignment, column: ColumnState, *, evolves: bool, collector: Collector) -> None:
    """Collect the finding and the note of one assignment."""
    path, given, is_constant = assignment
    is_null = is_constant and given == "void"
    if is_null and not column.is_nullable:
        collector.findings.append(findings.null_assigned(path))
    if is_null or given == column.data_type:
        return
    fault = next(_cast_faults(TypeDifference(path=path, stored=column.data_type, given=given), evolves=evolves), None)
    if fault is not None:
        collector.findings.append(fault)
        return
    collector.findings.extend(null_parts(path, column, None if given == "void" else given))
    if given != "void" and plain(given) != plain(column.data_type):
        difference = TypeDifference(path=path, stored=column.data_type, given=given)
        collector.note(str(path), findings.cast_note(difference))
    if given != "void":
        note_lengths((column,), path.parent, collector)


def null_parts(path: ColumnPath, column: ColumnState, given: DataTypeState | None) -> Iterator[WriteFault]:
    """Yield a finding for every NOT NULL part of a column that is assigned NULL, which every row breaks."""
    if column.is_nullable and isinstance(column.data_type, str):
        return
    for part in not_null_paths((column,)):
        match = None if given is None else find((column._replace(data_type=given),), part)
        if match is None or match.data_type == "void":
            yield findings.missing_not_null_column(column_path(*path.parent, *part), BY_ROWS)


def _conflicts(assignments: Sequence[Assignment]) -> list[str]:
    """Return the paths that are assigned twice, or whose parts are assigned."""
    paths = sorted(assignment.path for assignment in assignments)
    twice = [pair for pair in pairwise(paths) if pair[1].starts_with(pair[0])]
    return [str(path) for path in dict.fromkeys(path for pair in twice for path in pair)]


def _cast_faults(difference: TypeDifference, *, evolves: bool) -> Iterator[WriteFault]:
    """Yield the findings of a cast, in which structs match by name."""
    path, stored, given = difference.path, difference.stored, difference.given
    if given == stored:
        return
    if isinstance(stored, StructState) and isinstance(given, StructState):
        wanted = NameMap.of(stored.fields)
        is_known = all(field.name in wanted for field in given.fields)
        if not is_known or (len(given.fields) != len(stored.fields) and not evolves):
            yield findings.struct_mismatch(difference)
        for field in given.fields if is_known else ():
            match = wanted[field.name]
            part = TypeDifference(path=path.child(match.name), stored=match.data_type, given=field.data_type)
            yield from _cast_faults(part, evolves=evolves)
    elif isinstance(stored, ArrayState) and isinstance(given, ArrayState) and _has_struct(given.element):
        part = TypeDifference(path=path.child(ELEMENT), stored=stored.element, given=given.element)
        yield from _cast_faults(part, evolves=evolves)
    elif isinstance(stored, MapState) and isinstance(given, MapState) and _has_struct(given):
        for name, old, new in ((KEY, stored.key, given.key), (VALUE, stored.value, given.value)):
            yield from _cast_faults(TypeDifference(path=path.child(name), stored=old, given=new), evolves=evolves)
    elif not is_castable(given, stored):
        yield findings.unsupported_cast(difference)


def _has_struct(data_type: DataTypeState) -> bool:
    if isinstance(data_type, ArrayState):
        return _has_struct(data_type.element)
    if isinstance(data_type, MapState):
        return _has_struct(data_type.key) or _has_struct(data_type.value)
    return isinstance(data_type, StructState)


def listed_columns(
    frame: tuple[ColumnState, ...], names: Sequence[str], state: TableState, collector: Collector
) -> tuple[ColumnState, ...] | None:
    """Return the columns of a query with the names that an INSERT lists; ``None`` if the list is refused."""
    known = NameSet.of(state.columns)
    unknown = [name for name in names if name not in known]
    if len(NameSet(names)) < len(names):
        counts = Counter(map(folded, names))
        twice = [name for name, count in counts.items() if count > 1]
        collector.findings.append(findings.duplicate_column(twice, "COLUMN_ALREADY_EXISTS"))
    elif unknown:
        collector.findings.append(findings.unresolved_columns("INSERT", unknown, "UNRESOLVED_COLUMN"))
    elif len(frame) != len(names):
        collector.findings.append(findings.list_of_other_length(len(frame), len(names)))
    else:
        return tuple(column._replace(name=name) for column, name in zip(frame, names, strict=True))
    return None


def insert_faults(frame: Sequence[ColumnState], state: TableState, semantics: WriteSemantics) -> Iterator[WriteFault]:
    """Yield a finding for every column and field that an INSERT by name must have, and for columns too many."""
    columns = state.columns
    given = NameMap.of(frame)
    if len(frame) < len(columns):
        for column in columns:
            if column.name not in given and not column.is_nullable and column.value is None:
                yield findings.column_not_specified(column.name)
    specified = [column for column in columns if column.name in given]
    widens = semantics.merges_schema and has_widening(state)
    is_cast = not fits_without_cast(specified, frame, replace(semantics, by_position=False), widens=widens)
    if is_cast and len(frame) > len(columns) and not semantics.merges_schema:
        yield findings.too_many_columns(len(frame), len(columns))
    yield from _missing_fields(specified, given, TABLE)


def _missing_fields(
    columns: Sequence[ColumnState], given: NameMap[ColumnState], parent: ColumnPath
) -> Iterator[WriteFault]:
    """Yield a finding for every struct of the query that lacks fields of the table's struct, or is not one there."""
    for column in columns:
        match = given.get(column.name)
        if match is None or match.data_type == column.data_type or isinstance(column.data_type, MapState):
            continue
        path = parent.child(column.name)
        if not same_kind(column.data_type, match.data_type):
            if parent and isinstance(match.data_type, StructState):
                difference = TypeDifference(path=path, stored=column.data_type, given=match.data_type)
                yield findings.unsupported_struct_cast(difference)
            continue
        wanted, parts = children(column.data_type), children(match.data_type)
        names = NameMap.of(parts)
        lacks = any(part.name not in names for part in wanted)
        if lacks and isinstance(column.data_type, StructState):
            yield findings.too_few_columns(path, len(parts), len(wanted))
        else:
            yield from _missing_fields(wanted, names, path)


def duplicate_paths(columns: Sequence[ColumnState]) -> list[str]:
    """Return the paths of duplicate names, in lower case."""
    twice: list[str] = []
    if len(NameSet.of(columns)) < len(columns):
        counts = Counter(folded(column.name) for column in columns)
        twice = [name for name, count in counts.items() if count > 1]
    for column in columns:
        if not isinstance(column.data_type, str):
            twice.extend([f"{folded(column.name)}.{path}" for path in _repeated_below(column.data_type)])
    return twice


@lru_cache(maxsize=1024)
def _repeated_below(data_type: DataTypeState) -> tuple[str, ...]:
    return tuple(duplicate_paths(children(data_type)))


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
    refused = collector.findings
    refused.extend(resolver.findings())
    moved = _evolved(source, merge, branches) if merge.evolves else ()
    twice = repeated if moved is source else duplicate_paths(moved)
    if twice:
        refused.append(findings.duplicate_column(twice, "DELTA_DUPLICATE_COLUMNS_FOUND.DATA"))
    merged = merge_schemas(
        state.columns, () if twice else moved, widens=has_widening(state), version=version, coerces=True
    )
    refused.extend(findings.type_mismatch(conflict, casts=True) for conflict in merged.conflicts)
    if merge.evolves:
        refused.extend(findings.void_columns(merged.columns, version))
    if not refused:
        refused.extend(nested_char_faults(state, "MERGE"))
        for branch in branches:
            if branch.kind == "not_matched":
                _inserted(branch, merged.columns, evolves=merge.evolves, collector=collector)
            else:
                refused.extend(identity_faults(branch.settled))
                updated(branch.assignments, merged.columns, evolves=merge.evolves, collector=collector)
        refused.sort(key=lambda finding: finding.condition == findings.NO_CAST)
        refused.extend(require_unused(state, merged.columns))
        if is_on(APPEND_ONLY, state.table_properties) and (merge.matched or merge.not_matched_by_source):
            refused.append(findings.rows_removed("MERGE"))
    return merged


class _Resolver:
    """Finds the columns that the clauses of a MERGE name, in the source and in the table."""

    def __init__(
        self, source: Columns, repeated: list[str], state: TableState, merge: Merge, version: tuple[int, int]
    ) -> None:
        self._condition = findings.merge_unresolved(version)
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
            yield findings.ambiguous_columns(dict.fromkeys(self._ambiguous))
        if self._unresolved:
            names = list(dict.fromkeys(self._unresolved))
            yield findings.unresolved_columns("MERGE", names, self._condition)
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
    refused, assignments = collector.findings, branch.assignments
    nested = [str(assignment.path) for assignment in assignments if assignment.path.is_nested]
    if nested:
        refused.append(findings.nested_insert(nested))
        return
    given = NameMap((assignment.path.root, assignment) for assignment in assignments)
    always = [column for column in branch.settled if column.value is not None and _is_always_counted(column)]
    refused.extend(findings.explicit_identity_insert(column.name) for column in always)
    for column in columns[len(branch.settled) :]:
        generation, assignment = column.value, given.get(column.name)
        if assignment is None:
            if generation is None:
                refused.extend(null_parts(column_path(column.name), column, None))
            collector.note(column.name, f"{column.name} is not inserted: {findings.filled_by(column)}")
            continue
        if _is_always_counted(column):
            refused.append(findings.explicit_identity_insert(column.name))
        assigned(assignment, column, evolves=evolves, collector=collector)


def _is_always_counted(column: ColumnState) -> bool:
    identity = column.value and column.value.identity
    return bool(identity and identity.is_always)
