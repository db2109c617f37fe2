"""Predict what Delta does with an UPDATE, a DELETE, an INSERT and a MERGE."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache
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
from pytest_delta_schema.write_check.schemas import NO_CAST, TypeDifference, equal_at_start, is_castable, merge_schemas
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

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.findings import Collector
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
    refused, names = collector.findings, _Names("UNRESOLVED_COLUMN")
    found = [look_up(state.columns, assignment.path) for assignment in assignments]
    names.add([(each.fault, str(assignment.path)) for assignment, each in zip(assignments, found, strict=True)])
    parts = [str(a.path) for a, each in zip(assignments, found, strict=True) if each.is_part]
    names.add([(_NESTED_UPDATE, name) for name in parts])
    refused.extend(names.findings("UPDATE"))
    if refused:
        return
    refused.extend(nested_char_faults(state, "UPDATE"))
    updated(assignments, state.columns, evolves=False, collector=collector)
    refused.sort(key=lambda finding: (finding.code == BY_ROWS, finding.code.startswith(NO_CAST)))
    delete_faults(state, collector, statement="UPDATE")


def nested_char_faults(state: TableState, statement: str) -> Iterator[Diagnostic]:
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


_UNRESOLVED, _NO_FIELD, _NO_STRUCT = "", "FIELD_NOT_FOUND", "INVALID_EXTRACT_BASE_FIELD_TYPE"
_AMBIGUOUS, _NESTED_UPDATE = "AMBIGUOUS_REFERENCE", "DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE"


class Reference(NamedTuple):
    """What a name in a statement refers to."""

    data_type: DataTypeState | None
    """``None`` if Spark does not find it."""
    fault: str | None = None
    """The condition with which Spark refuses it; empty for a column that is not there, which it reports last."""
    is_part: bool = False
    """Whether it is in an array or a map, so no statement assigns it."""


def look_up(columns: Sequence[ColumnState], path: ColumnPath) -> Reference:
    """Look a name up as Spark does: a field of an array of structs is an array, and any name after a map is a key."""
    root = NameMap.of(columns).get(path.root)
    if root is None:
        return Reference(None, _UNRESOLVED)
    data_type, is_part = root.data_type, False
    for name in path.fields:
        element = data_type.element if isinstance(data_type, ArrayState) else data_type
        if isinstance(data_type, MapState):
            data_type, is_part = data_type.value, True
        elif isinstance(element, StructState):
            field = NameMap.of(element.fields).get(name)
            if field is None:
                return Reference(None, _NO_FIELD)
            if isinstance(data_type, ArrayState):
                has_null = data_type.contains_null or field.is_nullable
                data_type, is_part = ArrayState(field.data_type, contains_null=has_null), True
            else:
                data_type = field.data_type
        else:
            return Reference(None, f"{NO_CAST}.UNEXPECTED_INPUT_TYPE" if element is not data_type else _NO_STRUCT)
    return Reference(data_type, is_part=is_part)


class _Names:
    """The names that a statement cannot have, by the condition, in the order in which Spark reports these."""

    def __init__(self, unresolved: str) -> None:
        self._unresolved = unresolved
        self._faults: dict[str, list[str]] = {}

    def add(self, faults: Iterable[tuple[str | None, str]]) -> None:
        """Add names that are looked up together: of columns that are not there Spark tells last."""
        for fault, name in sorted(((f, n) for f, n in faults if f is not None), key=lambda one: one[0] == _UNRESOLVED):
            self._faults.setdefault(fault or self._unresolved, []).append(name)

    def findings(self, statement: str) -> Iterator[Diagnostic]:
        """Yield one finding for each condition."""
        for condition, names in self._faults.items():
            listed = list(dict.fromkeys(names))
            if condition == _AMBIGUOUS:
                yield findings.duplicate_column(listed, condition, subject="source")
            elif condition == _NESTED_UPDATE:
                yield findings.nested_assignment(statement, listed)
            else:
                yield findings.unresolved_columns(statement, listed, condition)


def updated(
    assignments: Sequence[Assignment], columns: Sequence[ColumnState], *, evolves: bool, collector: Collector
) -> None:
    """Collect the findings and notes of an update; all paths are in the columns, which are those after it."""
    if not assignments:
        return
    refused, by_name = collector.findings, NameMap.of(columns)
    roots = dict.fromkeys(assignment.path.root for assignment in assignments)
    refused.extend(identity_faults([by_name[root] for root in roots]))
    conflicts = _conflicts(assignments)
    if conflicts:
        refused.append(findings.conflicting_assignments(conflicts))
    for assignment, column in _in_table_order(assignments, columns):
        assigned(assignment, column, evolves=evolves, collector=collector)


def _in_table_order(
    assignments: Iterable[Assignment], columns: Sequence[ColumnState], depth: int = 0
) -> Iterator[tuple[Assignment, ColumnState]]:
    """Yield assignments and what they assign to, in the order of the table, in which Delta casts them."""
    by_name: dict[str, list[Assignment]] = {}
    for assignment in assignments:
        by_name.setdefault(assignment.path.folded[depth], []).append(assignment)
    for column in columns:
        own = by_name.get(folded(column.name), ())
        yield from ((assignment, column) for assignment in own if len(assignment.path) == depth + 1)
        deeper = [assignment for assignment in own if len(assignment.path) > depth + 1]
        if deeper:
            yield from _in_table_order(deeper, children(column.data_type), depth + 1)


def identity_faults(columns: Iterable[ColumnState]) -> Iterator[Diagnostic]:
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


def null_parts(path: ColumnPath, column: ColumnState, given: DataTypeState | None) -> Iterator[Diagnostic]:
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


def _cast_faults(difference: TypeDifference, *, evolves: bool) -> Iterator[Diagnostic]:
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
    elif isinstance(stored, MapState) and isinstance(given, MapState) and _casts_parts(given, stored):
        for name, old, new in ((KEY, stored.key, given.key), (VALUE, stored.value, given.value)):
            yield from _cast_faults(TypeDifference(path=path.child(name), stored=old, given=new), evolves=evolves)
    elif not is_castable(given, stored):
        yield findings.unsupported_cast(difference, is_insert=False)


def _casts_parts(given: MapState, stored: MapState) -> bool:
    """Whether Delta casts keys and values one by one: those with structs, and others that Spark casts in no mode."""
    return _has_struct(given) or not is_castable(given, stored, ansi=False)


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


def insert_faults(frame: Sequence[ColumnState], state: TableState, semantics: WriteSemantics) -> Iterator[Diagnostic]:
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
) -> Iterator[Diagnostic]:
    """Yield a finding for every struct of the query that lacks fields of the table's struct, or is not one there."""
    for column in columns:
        match = given.get(column.name)
        if match is None or match.data_type == column.data_type or isinstance(column.data_type, MapState):
            continue
        path = parent.child(column.name)
        if not same_kind(column.data_type, match.data_type):
            if parent and isinstance(match.data_type, StructState):
                difference = TypeDifference(path=path, stored=column.data_type, given=match.data_type)
                yield findings.unsupported_cast(difference, is_struct=True)
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
    refused.extend(resolver.names.findings("MERGE"))
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
        ranks = [0] * len(refused)
        is_generated = any(column.value is not None and column.value.generated is not None for column in state.columns)
        for branch in branches:
            if branch.kind == "not_matched":
                _inserted(branch, merged.columns, evolves=merge.evolves, collector=collector)
            else:
                refused.extend(identity_faults(branch.settled))
                updated(branch.assignments, merged.columns, evolves=merge.evolves, collector=collector)
            if branch.kind == "not_matched_by_source" and is_generated:
                refused[len(ranks) :] = [_unresolved_cast(finding) for finding in refused[len(ranks) :]]
            ranks += [int(branch.kind == "not_matched")] * (len(refused) - len(ranks))
        # Delta checks all updates and then all inserts, and Spark after that the casts of all clauses in their order.
        ranked = zip(ranks, refused, strict=True)
        in_order = sorted(ranked, key=lambda one: 2 if one[1].code.startswith(NO_CAST) else one[0])
        refused[:] = [finding for _, finding in in_order]
        refused.extend(require_unused(state, merged.columns))
        refused.sort(key=lambda finding: finding.code == BY_ROWS)
        if is_on(APPEND_ONLY, state.table_properties) and (merge.matched or merge.not_matched_by_source):
            refused.append(findings.rows_removed("MERGE"))
    return merged


def _unresolved_cast(finding: Diagnostic) -> Diagnostic:
    """Return the finding of a cast in WHEN NOT MATCHED BY SOURCE on a table with a generated column (Delta 4.4.0)."""
    is_cast = finding.code.startswith(NO_CAST)
    return replace(finding, code="DELTA_CANNOT_RESOLVE_EXPRESSION") if is_cast else finding


class _Resolver:
    """Finds the columns that the clauses of a MERGE name, in the source and in the table."""

    def __init__(
        self, source: Columns, repeated: list[str], state: TableState, merge: Merge, version: tuple[int, int]
    ) -> None:
        self.names = _Names(findings.merge_unresolved(version))
        self._source = source
        self._columns = state.columns
        self._evolves = merge.evolves
        self._twice = NameSet(path for path in repeated if "." not in path)
        self._equal = 0 if self._twice else equal_at_start(state.columns, source)

    def branch(self, kind: ClauseKind, action: Action) -> _Branch:
        """Return what a clause assigns."""
        if action == "delete":
            return _Branch(kind, (), [])
        if action == "all":
            return _Branch(kind, self._columns[: self._equal], self._all(kind))
        return _Branch(kind, (), self._mapped(kind, action))

    def condition(self, kind: ClauseKind, text: str | None) -> None:
        """Look up the columns of the condition of a clause."""
        sides = {"target": self._columns, "source": self._source}
        hidden = {"not_matched": "target", "not_matched_by_source": "source"}.get(kind, "")
        faults: list[tuple[str | None, str]] = []
        for path in paths_in(text) if text else ():
            side, rest = path.root, column_path(*path.fields)
            if side not in sides or not rest:
                matches = [name for name in sides if name != hidden and path.root in NameSet.of(sides[name])]
                if len(matches) > 1:
                    faults.append((_AMBIGUOUS, path.root))
                    continue
                side, rest = (matches or ["source"])[0], path
            fault = _UNRESOLVED if side == hidden else look_up(sides[side], rest).fault
            faults.append((fault, f"{rest} of the {side}"))
        self.names.add(faults)

    def _all(self, kind: ClauseKind) -> list[Assignment]:
        if self._evolves:
            columns = self._source[self._equal :]
            return list(_leaves(columns, TABLE) if kind == "matched" else _roots(columns))
        paths = [column_path(column.name) for column in self._columns[self._equal :]]
        return self._given({path: path for path in paths})

    def _mapped(self, kind: ClauseKind, action: Mapping[str, str | DataType]) -> list[Assignment]:
        may_add = self._evolves and kind != "not_matched_by_source"
        values = {ColumnPath.parse(name): value for name, value in action.items()}
        found = {path: look_up(self._columns, path) for path in values}
        if may_add:
            # A column that the table lacks is looked up in the source, before the next one.
            found = {path: one if one.fault is None else look_up(self._source, path) for path, one in found.items()}
        faults = [(one.fault, str(path) if one.fault else f"{path} of the target") for path, one in found.items()]
        for looked_up in [[fault] for fault in faults] if may_add else [faults]:
            self.names.add(looked_up)
        named = {path: ColumnPath.parse(value) for path, value in values.items() if isinstance(value, str)}
        assignments = self._given(named)
        self.names.add([(_NESTED_UPDATE, str(path)) for path, one in found.items() if one.is_part])
        constants = [
            Assignment(path, canonical_type(value), is_constant=True)
            for path, value in values.items()
            if not isinstance(value, str)
        ]
        in_order = {assignment.path: assignment for assignment in (*assignments, *constants)}
        return [in_order[path] for path in values if path in in_order]

    def _given(self, named: Mapping[ColumnPath, ColumnPath]) -> list[Assignment]:
        """Return the assignments of columns of the source, which are looked up together."""
        found = {path: self._in_source(value) for path, value in named.items()}
        self.names.add(
            (one.fault, folded(named[path].root) if one.fault == _AMBIGUOUS else f"{named[path]} of the source")
            for path, one in found.items()
        )
        return [
            Assignment(path, one.data_type, is_constant=False)
            for path, one in found.items()
            if one.data_type is not None
        ]

    def _in_source(self, path: ColumnPath) -> Reference:
        return Reference(None, _AMBIGUOUS) if path.root in self._twice else look_up(self._source, path)


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
    settled = len(branch.settled)
    written = [*columns[:settled], *(column for column in columns[settled:] if column.name in given)]
    refused.extend(findings.explicit_identity_insert(c.name) for c in written if _is_always_counted(c))
    for column in columns[settled:]:
        generation, assignment = column.value, given.get(column.name)
        if assignment is None:
            if generation is None:
                refused.extend(null_parts(column_path(column.name), column, None))
            collector.note(column.name, f"{column.name} is not inserted: {findings.filled_by(column)}")
            continue
        assigned(assignment, column, evolves=evolves, collector=collector)


def _is_always_counted(column: ColumnState) -> bool:
    identity = column.value and column.value.identity
    return bool(identity and identity.is_always)
