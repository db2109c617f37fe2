"""The columns of a frame, as they reach the table."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import WIDENING_PROPERTY, is_on
from pytest_delta_schema.state.types import ArrayState, ColumnState, MapState, StructState, below, plain
from pytest_delta_schema.write_check import findings
from pytest_delta_schema.write_check.casts import Caster, is_read_as
from pytest_delta_schema.write_check.method import SAVE_AS_TABLE, WRITE_STREAM

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.findings import Findings
    from pytest_delta_schema.write_check.method import WriteCall

Columns = tuple[ColumnState, ...]

_IN_DATA, _IN_UPDATE, _IN_READING = (
    f"DELTA_DUPLICATE_COLUMNS_FOUND.{part}" for part in ("DATA", "METADATA_UPDATE", "READ_SCHEMA")
)


def widens(state: TableState) -> bool:
    """Whether a table takes wider types."""
    return is_on(WIDENING_PROPERTY, state.table_properties)


def without_lengths(columns: Columns) -> Columns:
    """Return columns as frames have them: strings for char and varchar."""
    if not any(_has_lengths(column[1]) for column in columns):
        return columns
    return tuple(column._replace(data_type=_without_lengths(column.data_type)) for column in columns)


def reaching(frame: Columns, state: TableState, call: WriteCall, found: Findings) -> Columns | None:
    """Return the columns of a frame as they reach Delta, cast and in place; ``None`` if they never do.

    Args:
        frame: The columns that are written.
        state: The table.
        call: The way they take.
        found: Where refusals are noted.
    """
    width = len(state.columns)
    in_place = len(frame) >= width and _names(frame[:width]) == _names(state.columns)
    twice = _repeated(frame)
    if twice and (condition := _of_duplicates(call, in_place=in_place, nested=all("." in each for each in twice))):
        found.append(findings.repeated(twice, condition))
        return None
    if not call.casts:
        return frame
    may_widen = call.merges and widens(state)
    by_position = call.by_position
    if by_position and in_place and is_read_as(state.columns, frame, call, widens=may_widen):
        return frame
    before = len(found)
    query = Caster(call, widens=may_widen, found=found).cast(frame, state.columns)
    if by_position and len(found) > before:
        # Delta says what it cannot place while it puts the casts, and Spark looks at the casts afterwards.
        found[before:] = sorted(found[before:], key=lambda finding: finding.condition == findings.NO_CAST)
        return None
    if by_position and (twice := _repeated(query)):
        found.append(findings.repeated(twice, _IN_UPDATE if call.replaces else _IN_DATA))
        return None
    return query


def _of_duplicates(call: WriteCall, *, in_place: bool, nested: bool) -> str | None:
    """Return the condition of names that a frame has twice; ``None`` if their place decides, and not their name."""
    if call.by_position:
        return _IN_READING if in_place and nested else None
    if call.via == WRITE_STREAM:
        return "COLUMN_ALREADY_EXISTS"
    if call.casts:
        return _IN_READING
    if call.via == SAVE_AS_TABLE:
        return "COLUMN_ALREADY_EXISTS"
    return _IN_UPDATE if call.replaces else _IN_DATA


def _repeated(columns: Sequence[ColumnState]) -> list[str]:
    """Return the paths, in lower case, of names that are there more than once."""
    names = [column[0].lower() for column in columns]
    twice = [name for name, count in Counter(names).items() if count > 1] if len(set(names)) < len(names) else []
    for name, column in zip(names, columns, strict=True):
        if not isinstance(column[1], str):
            twice.extend(f"{name}.{path}" for path in _repeated_below(column[1]))
    return twice


@lru_cache(maxsize=1024)
def _repeated_below(data_type: DataTypeState) -> tuple[str, ...]:
    return tuple(_repeated(below(data_type)))


@lru_cache(maxsize=1024)
def _has_lengths(data_type: DataTypeState) -> bool:
    if isinstance(data_type, str):
        return plain(data_type) != data_type
    return any(_has_lengths(part.data_type) for part in below(data_type))


def _names(columns: Iterable[ColumnState]) -> list[str]:
    return [column[0] for column in columns]


def _without_lengths(data_type: DataTypeState) -> DataTypeState:
    if isinstance(data_type, StructState):
        return StructState(without_lengths(data_type.fields))
    if isinstance(data_type, ArrayState):
        return data_type._replace(element=_without_lengths(data_type.element))
    if isinstance(data_type, MapState):
        return data_type._replace(key=_without_lengths(data_type.key), value=_without_lengths(data_type.value))
    return plain(data_type)
