"""Requirements of Delta on the columns that a write adds and on the values that a frame lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import MAPPING_PROPERTY, SPECIAL_CHARACTERS, is_on
from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet, folded
from pytest_delta_schema.plan.aspects.types import NEEDED_FEATURES
from pytest_delta_schema.state.expressions import columns_in
from pytest_delta_schema.state.type_traversal import atoms, is_storable, not_null_paths, unstorable
from pytest_delta_schema.state.types import ArrayState, ColumnState, MapState, StructState, children, find
from pytest_delta_schema.write_check import storage_findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.collector import WriteFault
    from pytest_delta_schema.write_check.method import WriteSemantics
    from pytest_delta_schema.write_check.schema_merge import NewPart

BY_ROWS = "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"
"""Delta's condition for a NULL in a NOT NULL column, which it raises for the first row."""

_MISSING = "DELTA_MISSING_NOT_NULL_COLUMN_VALUE"

_FEED = "delta.enableChangeDataFeed"
_FEED_COLUMNS = frozenset({"_change_type", "_commit_version", "_commit_timestamp"})


def require_written(columns: Sequence[ColumnState], semantics: WriteSemantics) -> Iterator[WriteFault]:
    """Yield a finding for every type that the method of the write refuses for all values."""
    if semantics.method == "save":
        if all(map(is_storable, atoms(column.data_type for column in columns))):
            return
        for column in columns:
            for path, data_type in unstorable(column.data_type, ColumnPath(column.name)):
                yield storage_findings.unsupported_type(path, data_type, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")
    elif semantics.method == "write_stream":
        for column in columns:
            for part in _void(column.data_type, ColumnPath(column.name)):
                yield storage_findings.void_in_stream(part)


def require_storable(parts: Sequence[NewPart], state: TableState) -> Iterator[WriteFault]:
    """Yield a finding for every new column or field that the table cannot store.

    The parts are new, or get another type.
    """
    if not parts:
        return
    is_mapped = is_on(MAPPING_PROPERTY, state.table_properties)
    has_feed = is_on(_FEED, state.table_properties)
    for part in parts:
        column = part.column
        if not is_mapped:
            invalid = (name for name in _names((column,)) if not SPECIAL_CHARACTERS.isdisjoint(name))
            yield from map(storage_findings.invalid_column_name, invalid)
        if has_feed and not part.parent and folded(column.name) in _FEED_COLUMNS:
            yield storage_findings.reserved_column_name(column.name)
        yield from _type_faults(part.path, column.data_type, state)


def _type_faults(path: ColumnPath, data_type: DataTypeState, state: TableState) -> Iterator[WriteFault]:
    for part, unsupported in unstorable(data_type, path):
        yield storage_findings.unsupported_type(part, unsupported, "DELTA_UNSUPPORTED_DATA_TYPES")
    yield from map(storage_findings.empty_schema, _all_void(data_type, path))
    yield from map(storage_findings.void_in_collection, _void_in_collections(data_type, path, inside=False))
    new = atoms([data_type]) & NEEDED_FEATURES.keys()
    if new:
        known = NameSet(state.table_properties)
        for atom in sorted(new - atoms(column.data_type for column in state.columns)):
            for feature in NEEDED_FEATURES[atom]:
                if feature not in known:
                    yield storage_findings.missing_table_feature(str(path), atom, feature)


def require_values(
    frame: NameMap[ColumnState], columns: Sequence[ColumnState], state: TableState, semantics: WriteSemantics
) -> Iterator[WriteFault]:
    """Yield a finding for every value that the table needs and the frame lacks.

    The frame is what Delta receives, and the columns are those of the table after the write.
    """
    given = NameMap.of(frame.values())
    if semantics.fills_missing:
        for column in columns:
            if column.is_nullable and column.value is None and column.name not in given:
                given[column.name] = column._replace(data_type="void")
    for name in state.partitioning:
        if name not in given:
            yield storage_findings.missing_partition_column(name)
            given[name] = ColumnState(name, "void", is_nullable=True, comment="")
    yield from _missing_sources(columns, NameSet(given))
    for column in columns:
        if column.is_nullable and isinstance(column.data_type, str):
            continue
        match = given.get(column.name)
        if match is not None or column.value is None:
            yield from _missing_parts(column, match, semantics)


def _missing_parts(column: ColumnState, given: ColumnState | None, semantics: WriteSemantics) -> Iterator[WriteFault]:
    """Yield a finding for every NOT NULL part of a column that the frame lacks."""
    for path in not_null_paths((column,)):
        if given is None or (given.data_type != "void" and find((given,), path) is None):
            yield storage_findings.missing_not_null_column(path, _MISSING)
        elif given.data_type == "void" and path.fields and semantics.fills_missing:
            # A struct that is NULL has NULL in all of its fields, so every row fails.
            yield storage_findings.missing_not_null_column(path, BY_ROWS)


def _missing_sources(columns: Sequence[ColumnState], given: NameSet) -> Iterator[WriteFault]:
    """Yield a finding for every missing column that a missing generated column needs."""
    filled = given | NameSet.of(
        column for column in columns if column.value is not None and column.value.default is not None
    )
    for column in columns:
        expression = column.value and column.value.generated
        if expression and column.name not in given:
            for source in columns_in(expression):
                if source not in filled:
                    yield storage_findings.missing_source_column(column.name, source)


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
