"""What Delta demands of the columns that a write brings, and of the values that it leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import MAPPING_PROPERTY, SPECIAL_CHARACTERS, is_on
from pytest_delta_schema.plan.types import NEEDED_FEATURES
from pytest_delta_schema.state.type_traversal import atoms, not_null_paths, unstorable
from pytest_delta_schema.state.types import ArrayState, ColumnState, MapState, StructState, below, find
from pytest_delta_schema.write_check import findings
from pytest_delta_schema.write_check.method import SAVE, WRITE_STREAM

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.method import WriteCall
    from pytest_delta_schema.write_check.verdict import Finding

Path = tuple[str, ...]
Placed = tuple[Path, ColumnState]

_MISSING, _BY_ROWS = "DELTA_MISSING_NOT_NULL_COLUMN_VALUE", "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"

_FEED = "delta.enableChangeDataFeed"
_FEED_COLUMNS = frozenset({"_change_type", "_commit_version", "_commit_timestamp"})


def require_written(columns: Iterable[ColumnState], call: WriteCall) -> Iterator[Finding]:
    """Yield a finding for every type that never reaches the table on some ways, whatever it holds."""
    if call.via == SAVE:
        for column in columns:
            for path, data_type in unstorable(column.data_type, column.name):
                yield findings.unstorable(path, data_type, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")
    elif call.via == WRITE_STREAM:
        for column in columns:
            for place in _void(column.data_type, (column.name,)):
                yield findings.null_in_stream(place)


def require_storable(parts: Sequence[Placed], state: TableState) -> Iterator[Finding]:
    """Yield a finding for every part that a write would bring and that the table cannot store.

    Args:
        parts: New columns and fields, and those of another type, each with the path above it.
        state: The table.
    """
    if not parts:
        return
    is_mapped = is_on(MAPPING_PROPERTY, state.table_properties)
    has_feed = is_on(_FEED, state.table_properties)
    for above, column in parts:
        if not is_mapped:
            odd = (name for name in _names((column,)) if not SPECIAL_CHARACTERS.isdisjoint(name))
            yield from map(findings.odd_name, odd)
        if has_feed and not above and column.name.lower() in _FEED_COLUMNS:
            yield findings.reserved(column.name)
        yield from _type_faults((*above, column.name), column.data_type, state)


def _type_faults(path: Path, data_type: DataTypeState, state: TableState) -> Iterator[Finding]:
    name = ".".join(path)
    for place, stranger in unstorable(data_type, name):
        yield findings.unstorable(place, stranger, "DELTA_UNSUPPORTED_DATA_TYPES")
    yield from map(findings.nothing_to_store, _all_void(data_type, path))
    yield from map(findings.void_in_collection, _void_in_collections(data_type, path, inside=False))
    new = atoms([data_type]) & NEEDED_FEATURES.keys()
    if new:
        known = {key.lower() for key in state.table_properties}
        for atom in sorted(new - atoms(column.data_type for column in state.columns)):
            for feature in NEEDED_FEATURES[atom]:
                if feature.lower() not in known:
                    yield findings.needs_feature(name, atom, feature)


def require_values(
    frame: Mapping[str, ColumnState], columns: Sequence[ColumnState], state: TableState, call: WriteCall
) -> Iterator[Finding]:
    """Yield a finding for every value that the table needs and the frame does not give.

    Args:
        frame: The columns of the frame as they reach the table, by name in lower case.
        columns: Of the table after the write.
        state: The table before it.
        call: The way the frame takes.
    """
    given = dict(frame)
    if call.fills:
        for column in columns:
            if column[2] and column[4] is None and column[0].lower() not in given:
                given[column[0].lower()] = column._replace(data_type="void")
    for name in state.partitioning:
        if name.lower() not in given:
            yield findings.missing_partition(name)
            given[name.lower()] = ColumnState(name, "void", is_nullable=True, comment="")
    yield from _missing_sources(columns, given.keys())
    for column in columns:
        if column[2] and isinstance(column[1], str):
            continue
        match = given.get(column[0].lower())
        if match is not None or column[4] is None:
            yield from _missing_parts(column, match, call)


def _missing_parts(column: ColumnState, given: ColumnState | None, call: WriteCall) -> Iterator[Finding]:
    """Yield a finding for every NOT NULL part of a column that the frame does not give."""
    for path in not_null_paths((column,)):
        if given is None or (given[1] != "void" and find((given,), path) is None):
            yield findings.missing(path, _MISSING)
        elif given[1] == "void" and len(path) > 1 and call.fills:
            # A struct that is given as NULL has NULL in all of its fields, so every row fails.
            yield findings.missing(path, _BY_ROWS)


def _missing_sources(columns: Sequence[ColumnState], given: Collection[str]) -> Iterator[Finding]:
    """Yield a finding for every column that is missing and that a missing generated one is made from."""
    filled = {*given} | {c.name.lower() for c in columns if c.value is not None and c.value.default is not None}
    for column in columns:
        expression = column.value and column.value.generated
        if expression and column.name.lower() not in given:
            from pytest_delta_schema.state.expressions import columns_in

            for source in columns_in(expression):
                if source.lower() not in filled:
                    yield findings.missing_source(column.name, source)


def _names(columns: Iterable[ColumnState]) -> Iterator[str]:
    for column in columns:
        yield column.name
        if not isinstance(column.data_type, str):
            yield from _names(below(column.data_type))


def _void(data_type: DataTypeState, path: Path) -> Iterator[Path]:
    if data_type == "void":
        yield path
    for part in below(data_type):
        yield from _void(part.data_type, (*path, part.name))


def _void_in_collections(data_type: DataTypeState, path: Path, *, inside: bool) -> Iterator[Path]:
    if data_type == "void" and inside:
        yield path
    inside = inside or isinstance(data_type, (ArrayState, MapState))
    for part in below(data_type):
        yield from _void_in_collections(part.data_type, (*path, part.name), inside=inside)


def _all_void(data_type: DataTypeState, path: Path) -> Iterator[Path]:
    """Yield the structs in a type whose fields all have none."""
    parts = below(data_type)
    if isinstance(data_type, StructState) and all(field.data_type == "void" for field in parts):
        yield path
    for part in parts:
        yield from _all_void(part.data_type, (*path, part.name))
