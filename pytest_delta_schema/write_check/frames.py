"""The columns of a frame after duplicate names are checked and casts are added."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameSet, folded
from pytest_delta_schema.state.types import ArrayState, ColumnState, MapState, StructState, children, plain
from pytest_delta_schema.write_check import schema_findings
from pytest_delta_schema.write_check.casts import Caster, fits_without_cast, has_widening
from pytest_delta_schema.write_check.statements.insert_rules import insert_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.collector import Collector
    from pytest_delta_schema.write_check.method import WriteSemantics

Columns = tuple[ColumnState, ...]

_IN_DATA, _IN_UPDATE, _IN_READING = (
    f"DELTA_DUPLICATE_COLUMNS_FOUND.{part}" for part in ("DATA", "METADATA_UPDATE", "READ_SCHEMA")
)


def frame_columns(columns: Columns) -> Columns:
    """Return columns with string instead of char and varchar, as frames have them."""
    if not any(_has_lengths(column.data_type) for column in columns):
        return columns
    return tuple(column._replace(data_type=_without_lengths(column.data_type)) for column in columns)


def resolve(frame: Columns, state: TableState, semantics: WriteSemantics, collector: Collector) -> Columns | None:
    """Return the columns of a frame as Delta receives them; ``None`` if the write is refused before."""
    by_position, width = semantics.by_position, len(state.columns)
    same_names = by_position and len(frame) >= width and _names(frame[:width]) == _names(state.columns)
    twice = duplicate_paths(frame)
    nested = all("." in path for path in twice)
    condition = _duplicates_condition(semantics, same_names=same_names, nested=nested) if twice else None
    if condition is not None:
        collector.findings.append(schema_findings.duplicate_column(twice, condition))
        return None
    if not semantics.casts:
        return frame
    inserts_by_name = semantics.method == "sql_insert" and not by_position
    if inserts_by_name and (faults := list(insert_faults(frame, state, semantics))):
        collector.findings.extend(faults)
        return None
    return _cast(frame, state, semantics, collector, same_names=same_names)


def _cast(
    frame: Columns, state: TableState, semantics: WriteSemantics, collector: Collector, *, same_names: bool
) -> Columns | None:
    """Return the columns of a frame with the types of the table; ``None`` if the write is refused before."""
    by_position = semantics.by_position
    may_widen = semantics.merges_schema and has_widening(state)
    if same_names and fits_without_cast(state.columns, frame, semantics, widens=may_widen):
        return frame
    before = len(collector.findings)
    query = Caster(semantics, widens=may_widen, collector=collector).cast(frame, state.columns)
    if by_position and len(collector.findings) > before:
        # Delta raises for columns that it cannot match while it adds the casts; Spark checks the casts after that.
        refused = collector.findings[before:]
        collector.findings[before:] = sorted(refused, key=lambda finding: finding.condition == schema_findings.NO_CAST)
        return None
    if by_position and (twice := duplicate_paths(query)):
        collector.findings.append(
            schema_findings.duplicate_column(twice, _IN_UPDATE if semantics.replaces_schema else _IN_DATA)
        )
        return None
    return query


def _duplicates_condition(semantics: WriteSemantics, *, same_names: bool, nested: bool) -> str | None:
    """Return the error condition of duplicate names; ``None`` if columns are matched by position."""
    if semantics.by_position:
        return _IN_READING if same_names and nested else None
    if semantics.method == "write_stream":
        return "COLUMN_ALREADY_EXISTS"
    if semantics.casts:
        return _IN_READING
    if semantics.method == "save_as_table":
        return "COLUMN_ALREADY_EXISTS"
    return _IN_UPDATE if semantics.replaces_schema else _IN_DATA


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


@lru_cache(maxsize=1024)
def _has_lengths(data_type: DataTypeState) -> bool:
    if isinstance(data_type, str):
        return plain(data_type) != data_type
    return any(_has_lengths(part.data_type) for part in children(data_type))


def _names(columns: Iterable[ColumnState]) -> list[str]:
    return [column.name for column in columns]


def _without_lengths(data_type: DataTypeState) -> DataTypeState:
    if isinstance(data_type, StructState):
        return StructState(frame_columns(data_type.fields))
    if isinstance(data_type, ArrayState):
        return data_type._replace(element=_without_lengths(data_type.element))
    if isinstance(data_type, MapState):
        return data_type._replace(key=_without_lengths(data_type.key), value=_without_lengths(data_type.value))
    return plain(data_type)
