"""What a write needs of a frame: types that Spark casts, types that Delta stores, and a value for each column.

Under its default policy Spark casts as ``CAST`` in ANSI mode does: a string column is accepted for bigint, and a row
whose text is not a number fails.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.char_varchar import text_limit
from pytest_delta_schema.delta.names import (
    ELEMENT,
    KEY,
    TABLE,
    VALUE,
    ColumnPath,
    NameMap,
    NameSet,
    folded,
    same_name,
    same_names,
)
from pytest_delta_schema.delta.protocol import MAPPING_PROPERTY, SPECIAL_CHARACTERS, WIDENING_PROPERTY, is_on
from pytest_delta_schema.plan.comparison import NEEDED_FEATURES
from pytest_delta_schema.state.expressions import columns_in, paths_in
from pytest_delta_schema.state.spark_types import is_storable, unstorable
from pytest_delta_schema.state.types import (
    ArrayState,
    ColumnState,
    MapState,
    StructState,
    atoms,
    atoms_with_paths,
    children,
    find,
    not_null_paths,
    plain,
    same_kind,
)
from pytest_delta_schema.write_check import findings
from pytest_delta_schema.write_check.schemas import TypeDifference, equal_at_start, evolves, is_castable, is_coercible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.findings import Collector
    from pytest_delta_schema.write_check.schemas import NewPart
    from pytest_delta_schema.write_check.verdict import WriteSemantics


def has_widening(state: TableState) -> bool:
    """Whether a table has type widening."""
    return is_on(WIDENING_PROPERTY, state.table_properties)


class Caster:
    """Casts the columns of a frame to those of a table.

    If the write matches columns by position, it does so with fields of structs. With ``widens``, types that the table
    may evolve to are left as they are, and with ``keeps_inside`` what is in arrays and maps.
    """

    def __init__(self, semantics: WriteSemantics, *, widens: bool, keeps_inside: bool, collector: Collector) -> None:
        self._semantics = semantics
        self._by_position = semantics.by_position
        self._widens = widens
        self._keeps_inside = keeps_inside
        self._collector = collector

    def cast(self, frame: Sequence[ColumnState], columns: Sequence[ColumnState]) -> tuple[ColumnState, ...]:
        """Return the columns of a frame with the types of a table; columns that the table lacks are unchanged."""
        return self._fields(frame, columns, TABLE)

    def _fields(
        self, given: Sequence[ColumnState], wanted: Sequence[ColumnState], parent: ColumnPath
    ) -> tuple[ColumnState, ...]:
        if self._by_position:
            if len(given) < len(wanted):
                self._collector.findings.append(findings.too_few_columns(parent, len(given), len(wanted)))
                return tuple(given)
            matches = [*wanted[: len(given)], *[None] * (len(given) - len(wanted))]
            if parent:
                note_moved(given, wanted, parent, self._collector)
        else:
            equal = equal_at_start(wanted, given)
            by_name = NameMap.of(wanted[equal:])
            matches = [*wanted[:equal], *(by_name.get(column.name) for column in given[equal:])]
        return tuple(
            column if match is None else self._column(column, match, parent)
            for column, match in zip(given, matches, strict=True)
        )

    def _column(self, given: ColumnState, wanted: ColumnState, parent: ColumnPath) -> ColumnState:
        if given.data_type == wanted.data_type:
            if not self._by_position:
                return given
            return wanted if wanted.value is None else wanted._replace(value=None)
        path = parent.child(wanted.name)
        if given.data_type == "void":
            nulls = not_null_paths((wanted,), parent)
            self._collector.findings += [findings.missing_not_null_column(p, BY_ROWS, is_void=True) for p in nulls]
        if not self._by_position:
            return given._replace(data_type=self.type(given.data_type, wanted.data_type, path))
        cast = self._part if parent else self.type
        return wanted._replace(data_type=cast(given.data_type, wanted.data_type, path), value=None)

    @property
    def _below(self) -> Caster:
        """What casts the fields of structs: an INSERT by name matches them by position, too (Delta 4.4.0)."""
        if self._by_position or self._semantics.method != "sql_insert":
            return self
        semantics = replace(self._semantics, by_position=True)
        return Caster(semantics, widens=self._widens, keeps_inside=self._keeps_inside, collector=self._collector)

    def _part(self, given: DataTypeState, wanted: DataTypeState, path: ColumnPath) -> DataTypeState:
        """Cast a field of a struct by position: structs field by field, arrays and maps as one value."""
        if wanted == "void" or (self._keeps_inside and isinstance(given, (ArrayState, MapState))):
            return given
        if not isinstance(given, StructState):
            return self._atom(given, wanted, path)
        if not isinstance(wanted, StructState):
            difference = TypeDifference(path=path, stored=wanted, given=given)
            self._collector.findings.append(findings.unsupported_cast(difference, is_struct=True))
            return wanted
        return StructState(self._fields(given.fields, wanted.fields, path))

    def type(self, given: DataTypeState, wanted: DataTypeState, path: ColumnPath) -> DataTypeState:
        """Return the type of a column, or of a part of one, cast to that of the table."""
        if wanted in (given, "void") or (self._keeps_inside and isinstance(given, (ArrayState, MapState))):
            return given
        if isinstance(given, StructState) and isinstance(wanted, StructState):
            return StructState(self._below._fields(given.fields, wanted.fields, path))
        if isinstance(given, ArrayState) and isinstance(wanted, ArrayState):
            structs = isinstance(given.element, StructState) and isinstance(wanted.element, StructState)
            is_whole = self._by_position and given.contains_null != wanted.contains_null
            if (structs and not is_whole) or not (self._by_position or self._semantics.method == "sql_insert"):
                return given._replace(element=self.type(given.element, wanted.element, path.child(ELEMENT)))
        if isinstance(given, MapState) and isinstance(wanted, MapState):
            pairs = ((KEY, given.key, wanted.key), (VALUE, given.value, wanted.value))
            key, value = (self._below.type(left, right, path.child(name)) for name, left, right in pairs)
            return given._replace(key=key, value=value)
        return self._atom(given, wanted, path)

    def _atom(self, given: DataTypeState, wanted: DataTypeState, path: ColumnPath) -> DataTypeState:
        if self._widens and evolves(wanted, given, self._semantics.version):
            return given
        if self._semantics.method == "write_stream" and not is_coercible(given, wanted):
            return given
        difference = TypeDifference(path=path, stored=wanted, given=given)
        if not is_castable(given, wanted):
            self._collector.findings.append(findings.unsupported_cast(difference))
        elif plain(given) != plain(wanted) and given != "void":
            self._collector.note(str(path), findings.cast_note(difference))
            _note_moved_below(given, wanted, path, self._collector)
        return wanted


def note_moved(
    given: Sequence[ColumnState], wanted: Sequence[ColumnState], parent: ColumnPath, collector: Collector
) -> None:
    """Add a note for every field of a struct that gets the value of another field, because they match by position."""
    for field, match in zip(given, wanted, strict=False):
        if not same_name(field.name, match.name):
            path = parent.child(match.name)
            collector.note(str(path), findings.moved_note(path, field.name))


def _note_moved_below(given: DataTypeState, wanted: DataTypeState, path: ColumnPath, collector: Collector) -> None:
    """Add these notes for a value that Spark casts as a whole, which matches the fields in it by position."""
    if isinstance(given, StructState) and isinstance(wanted, StructState):
        note_moved(given.fields, wanted.fields, path, collector)
    if same_kind(given, wanted):
        for left, right in zip(children(given), children(wanted), strict=True):
            _note_moved_below(left.data_type, right.data_type, path.child(right.name), collector)


def note_lengths(columns: Iterable[ColumnState], parent: ColumnPath, collector: Collector) -> None:
    """Add a note for every part of columns, or of fields of a struct, that holds texts of a limited length only."""
    for column in columns:
        for path, data_type in atoms_with_paths(column.data_type, parent.child(column.name)):
            limit = text_limit(data_type)
            if limit is not None:
                collector.note(str(path), findings.length_note(path, limit))


def note_places(given: DataTypeState, stored: DataTypeState, path: ColumnPath, collector: Collector) -> None:
    """Add a note for every text in a struct whose position is that of a shorter one, which Delta compares (4.4.0)."""
    if isinstance(given, StructState) and isinstance(stored, StructState):
        for field, other in zip(given.fields, stored.fields, strict=False):
            limit = text_limit(other.data_type)
            if limit is not None and not same_name(field.name, other.name):
                part = path.child(field.name)
                collector.note(str(part), findings.place_note(part, limit, other.name))
        pairs = [(field, find(stored.fields, (field.name,))) for field in given.fields]
    elif same_kind(given, stored):
        pairs = [*zip(children(given), children(stored), strict=True)]
    else:
        return
    for left, right in pairs:
        if right is not None:
            note_places(left.data_type, right.data_type, path.child(right.name), collector)


def fits_without_cast(
    columns: Sequence[ColumnState], frame: Sequence[ColumnState], semantics: WriteSemantics, *, widens: bool
) -> bool:
    """Whether a frame fits a table without a cast, with fields of structs matched by name."""
    given = NameMap.of(frame)
    for column in columns:
        match = given.get(column.name)
        if match is None or match.name != column.name:
            return False
        if not _type_fits(column.data_type, match.data_type, semantics, widens=widens):
            return False
    return True


def _type_fits(stored: DataTypeState, given: DataTypeState, semantics: WriteSemantics, *, widens: bool) -> bool:
    if isinstance(stored, StructState) and isinstance(given, StructState):
        return fits_without_cast(stored.fields, given.fields, semantics, widens=widens)
    if isinstance(stored, str) or type(stored) is not type(given):
        return plain(stored) == plain(given) or (widens and evolves(stored, given, semantics.version))
    return all(
        _type_fits(one.data_type, other.data_type, semantics, widens=widens)
        for one, other in zip(children(stored), children(given), strict=True)
    )


BY_ROWS = "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"
"""Delta's condition for a NULL in a NOT NULL column, which it raises for the first row."""

_MISSING = "DELTA_MISSING_NOT_NULL_COLUMN_VALUE"
CHANGE_FEED = "delta.enableChangeDataFeed"
_FEED_COLUMNS = frozenset({"_change_type", "_commit_version", "_commit_timestamp"})


def require_written(columns: Sequence[ColumnState], semantics: WriteSemantics) -> Iterator[Diagnostic]:
    """Yield a finding for every type that the method of the write refuses for all values."""
    if semantics.method == "save":
        if all(map(is_storable, atoms(column.data_type for column in columns))):
            return
        for column in columns:
            for path, data_type in unstorable(column.data_type, ColumnPath(column.name)):
                yield findings.unsupported_type(path, data_type, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")
    elif semantics.method == "write_stream":
        for column in columns:
            for part in _void(column.data_type, ColumnPath(column.name)):
                yield findings.void_in_stream(part)


def require_storable(parts: Sequence[NewPart], state: TableState) -> Iterator[Diagnostic]:
    """Yield a finding for every new column or field that the table cannot store."""
    if not parts:
        return
    is_mapped = is_on(MAPPING_PROPERTY, state.table_properties)
    has_feed = is_on(CHANGE_FEED, state.table_properties)
    for part in parts:
        column = part.column
        if not is_mapped:
            invalid = (name for name in _names((column,)) if not SPECIAL_CHARACTERS.isdisjoint(name))
            yield from map(findings.invalid_column_name, invalid)
        if has_feed and not part.parent and folded(column.name) in _FEED_COLUMNS:
            yield findings.reserved_column_name(column.name)
        yield from _type_faults(part.path, column.data_type, state)


def _type_faults(path: ColumnPath, data_type: DataTypeState, state: TableState) -> Iterator[Diagnostic]:
    for part, unsupported in unstorable(data_type, path):
        yield findings.unsupported_type(part, unsupported, "DELTA_UNSUPPORTED_DATA_TYPES")
    yield from map(findings.empty_struct, _all_void(data_type, path))
    yield from map(findings.void_in_collection, _void_in_collections(data_type, path, inside=False))
    new = atoms([data_type]) & NEEDED_FEATURES.keys()
    if new:
        known = NameSet(state.table_properties)
        for atom in sorted(new - atoms(column.data_type for column in state.columns)):
            for feature in NEEDED_FEATURES[atom]:
                if feature not in known:
                    yield findings.missing_table_feature(str(path), atom, feature)


def _names(columns: Iterable[ColumnState]) -> Iterator[str]:
    for column in columns:
        yield column.name
        if not isinstance(column.data_type, str):
            yield from _names(children(column.data_type))


def _void(data_type: DataTypeState, path: ColumnPath) -> Iterator[ColumnPath]:
    if data_type == "void":
        yield path
    for part in children(data_type):
        yield from _void(part.data_type, path.child(part.name))


def _void_in_collections(data_type: DataTypeState, path: ColumnPath, *, inside: bool) -> Iterator[ColumnPath]:
    if data_type == "void" and inside:
        yield path
    inside = inside or isinstance(data_type, (ArrayState, MapState))
    for part in children(data_type):
        yield from _void_in_collections(part.data_type, path.child(part.name), inside=inside)


def _all_void(data_type: DataTypeState, path: ColumnPath) -> Iterator[ColumnPath]:
    """Yield the paths of the structs whose fields are all void."""
    parts = children(data_type)
    if isinstance(data_type, StructState) and all(field.data_type == "void" for field in parts):
        yield path
    for part in parts:
        yield from _all_void(part.data_type, path.child(part.name))


def require_values(
    frame: NameMap[ColumnState], columns: Sequence[ColumnState], state: TableState, semantics: WriteSemantics
) -> Iterator[Diagnostic]:
    """Yield a finding for every value that the table needs and the frame lacks."""
    given = NameMap.of(frame.values())
    if semantics.fills_missing:
        for column in columns:
            if column.is_nullable and column.value is None and column.name not in given:
                given[column.name] = column._replace(data_type="void")
    for name in state.partitioning:
        if name not in given:
            yield findings.missing_partition_column(name)
            given[name] = ColumnState(name, "void", is_nullable=True, comment="")
    missing = (column for column in state.columns if column.name not in given and column.value is None)
    for texts in ([*_texts(column.data_type, ColumnPath(column.name))] for column in missing):
        yield from map(findings.missing_text_field, texts[:1])
    yield from _missing_sources(columns, NameSet(given))
    for column in columns:
        if column.is_nullable and isinstance(column.data_type, str):
            continue
        match = given.get(column.name)
        if match is not None or column.value is None:
            yield from _missing_parts(column, match, semantics)


def _texts(data_type: DataTypeState, path: ColumnPath) -> Iterator[ColumnPath]:
    """Yield the fields of structs that have a length; those in arrays and maps are not looked at without a value."""
    for field in data_type.fields if isinstance(data_type, StructState) else ():
        if text_limit(field.data_type) is not None:
            yield path.child(field.name)
        yield from _texts(field.data_type, path.child(field.name))


def _missing_parts(column: ColumnState, given: ColumnState | None, semantics: WriteSemantics) -> Iterator[Diagnostic]:
    """Yield a finding for every NOT NULL part of a column that the frame lacks."""
    for path in not_null_paths((column,)):
        part = None if given is None else find((given,), path)
        if given is not None and given.data_type == "void" and semantics.fills_missing:
            # A struct that is NULL has NULL in all of its fields, so every row fails.
            yield findings.missing_not_null_column(path, BY_ROWS)
        elif part is None or part.data_type == "void":
            # What is void and not cast is not written at all.
            yield findings.missing_not_null_column(path, _MISSING, is_void=part is not None)


def _missing_sources(columns: Sequence[ColumnState], given: NameSet) -> Iterator[Diagnostic]:
    """Yield a finding for every missing column that a missing generated column needs."""
    filled = given | NameSet.of(
        column for column in columns if column.value is not None and column.value.default is not None
    )
    for column in columns:
        expression = column.value and column.value.generated
        if expression and column.name not in given:
            for source in columns_in(expression):
                if source not in filled:
                    yield findings.missing_source_column(column.name, source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependent:
    """A check or a generated column, and the columns that its expression names."""

    label: str
    """What messages call it."""
    paths: frozenset[ColumnPath]
    is_generated: bool


def require_unused(state: TableState, frame: Sequence[ColumnState]) -> Iterator[Diagnostic]:
    """Yield a finding for every retyped column that a check or a generated column depends on."""
    dependents = list(_dependents(state))
    if not dependents:
        return
    for difference in _differences(state.columns, frame, TABLE):
        for dependent in dependents:
            if difference.path in dependent.paths:
                yield findings.column_in_use(difference, dependent.label, is_generated=dependent.is_generated)


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
