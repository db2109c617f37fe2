"""Match the rows of two tables as multisets: in any order, each as often as it occurs."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.type_widening import SIZED
from pytest_delta_schema.state.types import ArrayState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from pytest_delta_schema.state.types import ColumnState, DataTypeState

LowerCaseRow = dict[str, Any]
"""The values of a row, by the names of columns in lower case."""

_NAN = ("NaN",)
_NUMBER = ("a number",)
_FRACTIONS = ("double", "float")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDifference:
    """The rows that only one of two tables has."""

    missing: tuple[LowerCaseRow, ...]
    unexpected: tuple[LowerCaseRow, ...]


class _Frozen(NamedTuple):
    """A row that can be hashed."""

    values: Hashable
    """Its values; without the numbers that are compared with a tolerance."""
    numbers: tuple[float, ...]


def unmatched_rows(
    columns: Sequence[ColumnState],
    expected: Iterable[Mapping[str, Any]],
    actual: Iterable[Mapping[str, Any]],
    rtol: float | None = None,
    *,
    names_of_expected: Sequence[ColumnState] | None = None,
) -> RowDifference:
    """Return the rows that have no equal row on the other side.

    NULL equals NULL, and NaN equals NaN. Maps are equal with the same keys and values, in any order. A column that a
    row leaves out is NULL.

    Names of columns are in any case, and those of the expected rows may differ. ``rtol`` is the relative difference up
    to which ``float`` and ``double`` values are equal, from 0 to less than 1; ``None`` compares them exactly.
    """
    sides = [[_by_name(row) for row in rows] for rows in (expected, actual)]
    columns_of = (columns if names_of_expected is None else names_of_expected, columns)
    buckets: dict[Hashable, tuple[list[tuple[tuple[float, ...], int]], ...]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate(sides):
        for index, row in enumerate(rows):
            frozen = _frozen_row(row, columns_of[side], is_exact=rtol is None)
            buckets[frozen.values][side].append((frozen.numbers, index))
    left: tuple[list[int], list[int]] = ([], [])
    for first, second in buckets.values():
        rest = (first[len(second) :], second[len(first) :]) if rtol is None else _far_apart(first, second, rtol)
        for side, entries in enumerate(rest):
            left[side].extend(index for _, index in entries)
    missing, unexpected = ([sides[side][index] for index in sorted(left[side])] for side in (0, 1))
    return RowDifference(missing=tuple(missing), unexpected=tuple(unexpected))


def values_match(one: Any, other: Any, data_type: DataTypeState, rtol: float | None = None) -> bool:
    """Whether two values of a column are equal; see :func:`unmatched_rows`."""
    numbers: tuple[list[float], list[float]] = ([], [])
    is_exact = rtol is None
    frozen = [_frozen(value, data_type, None if is_exact else numbers[i]) for i, value in enumerate((one, other))]
    return frozen[0] == frozen[1] and _are_close(numbers[0], numbers[1], rtol or 0.0)


def _by_name(row: Mapping[str, Any]) -> LowerCaseRow:
    return {folded(name): value for name, value in row.items()}


def _frozen_row(row: LowerCaseRow, columns: Iterable[ColumnState], *, is_exact: bool) -> _Frozen:
    numbers: list[float] = []
    values = tuple(
        _frozen(row.get(folded(column.name)), column.data_type, None if is_exact else numbers) for column in columns
    )
    return _Frozen(values, tuple(numbers))


def _frozen(value: Any, data_type: DataTypeState, numbers: list[float] | None) -> Hashable:
    """Return a value that can be hashed, and equals that of another value if the two are equal.

    ``numbers`` receives finite ``float`` and ``double`` values, instead of the result; ``None`` keeps them.
    """
    if value is None:
        return None
    if isinstance(data_type, StructState):
        parts = _parts(value, data_type)
        return tuple(
            _frozen(part, field.data_type, numbers) for part, field in zip(parts, data_type.fields, strict=True)
        )
    if isinstance(data_type, ArrayState):
        return tuple(_frozen(part, data_type.element, numbers) for part in value)
    if isinstance(data_type, MapState):
        # The keys are compared exactly, and give the order in which numbers are collected.
        by_key = {_frozen(key, data_type.key, None): part for key, part in value.items()}
        keys = sorted(by_key, key=repr)
        return tuple((key, _frozen(by_key[key], data_type.value, numbers)) for key in keys)
    return _frozen_atom(value, data_type, numbers)


def _frozen_atom(value: Any, data_type: str, numbers: list[float] | None) -> Hashable:
    if data_type in _FRACTIONS:
        if math.isnan(value):
            return _NAN
        if numbers is not None and math.isfinite(value):
            numbers.append(value)
            return _NUMBER
        return float(value)
    sized = SIZED.fullmatch(data_type)
    if sized is not None and sized[1] == "char":
        return str(value).ljust(int(sized[2]))
    if isinstance(value, bytearray):
        return bytes(value)
    return str(value) if data_type == "variant" else value


def _parts(value: Any, data_type: StructState) -> Sequence[Any]:
    """Return the fields of a struct in order: it is a dictionary by their names, or a row or tuple with all of them."""
    if isinstance(value, dict):
        given = _by_name(value)
        return [given.get(folded(field.name)) for field in data_type.fields]
    return tuple(value)


def _are_close(first: Sequence[float], second: Sequence[float], rtol: float) -> bool:
    return all(math.isclose(one, other, rel_tol=rtol) for one, other in zip(first, second, strict=True))


_Entry = tuple[tuple[float, ...], int]


def _far_apart(first: list[_Entry], second: list[_Entry], rtol: float) -> tuple[list[_Entry], list[_Entry]]:
    """Return the entries of both sides that remain when as many as possible are paired with a close one."""
    second = sorted(second)
    starts = [numbers[:1] for numbers, _ in second]
    partners: dict[int, int] = {}

    def close(number: int) -> list[int]:
        return _close(first[number][0], second, starts, rtol)

    rest = [entry for number, entry in enumerate(first) if not _pair(number, partners, close)]
    return rest, [entry for position, entry in enumerate(second) if position not in partners]


def _close(numbers: tuple[float, ...], others: list[_Entry], starts: list[tuple[float, ...]], rtol: float) -> list[int]:
    """Return the positions of the entries whose numbers are all close to some numbers."""
    if not numbers:
        return list(range(len(others)))
    margin = abs(numbers[0]) * rtol / (1 - rtol) * (1 + 1e-9)
    window = range(bisect_left(starts, (numbers[0] - margin,)), bisect_right(starts, (numbers[0] + margin,)))
    return [position for position in window if _are_close(numbers, others[position][0], rtol)]


def _pair(entry: int, partners: dict[int, int], close: Callable[[int], list[int]]) -> bool:
    """Pair one more entry, and other entries again with other partners if that is needed; whether it was possible.

    ``partners`` holds the entry of the first side that each paired entry of the second side has; ``close`` returns the
    entries of the second side that may be paired.
    """
    reached_from: dict[int, int] = {}
    todo = [entry]
    while todo:
        current = todo.pop(0)
        for position in close(current):
            if position in reached_from:
                continue
            reached_from[position] = current
            if position not in partners:
                _assign(position, entry, partners, reached_from)
                return True
            todo.append(partners[position])
    return False


def _assign(position: int, entry: int, partners: dict[int, int], reached_from: Mapping[int, int]) -> None:
    """Pair along the path that was found, from its end to the new entry."""
    positions = {owner: at for at, owner in partners.items()}
    while True:
        owner = reached_from[position]
        partners[position] = owner
        if owner == entry:
            return
        position = positions[owner]
