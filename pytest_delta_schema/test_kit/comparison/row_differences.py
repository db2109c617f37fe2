"""Show how the rows of a table differ from those that were expected, side by side."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.delta.names.folded_names import NameSet, folded
from pytest_delta_schema.diagnostics.escaping import escaped, shortened
from pytest_delta_schema.report.text.text import counted
from pytest_delta_schema.state.types import describe_type
from pytest_delta_schema.test_kit.comparison.row_matching import values_match

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.test_kit.comparison.row_matching import LowerCaseRow, RowDifference

_SHOWN = 3
_SEARCHED = 1000
_ALL_COLUMNS = 8
_LONGEST = 40
_CONTEXT = 15
_NOTHING = "-"


class _Line(NamedTuple):
    marker: str
    column: str
    expected: str
    actual: str


def difference_text(state: TableState, difference: RowDifference, sizes: tuple[int, int], rtol: float | None) -> str:
    """Return the text of a failure: the counts, and the first rows that differ."""
    missing, unexpected = difference.missing, difference.unexpected
    counts = f"{counted(sizes[0], 'row')} expected, {sizes[1]} in the table"
    head = f"{state.name}: {counts}; {len(missing)} missing, {len(unexpected)} unexpected"
    pairs = list(_pairs(state, difference, rtol))
    blocks = [_block(state, expected, actual, rtol) for expected, actual in pairs[:_SHOWN]]
    if len(pairs) > _SHOWN:
        blocks.append(f"and {counted(len(pairs) - _SHOWN, 'more difference')}")
    return "\n\n".join([head, *blocks])


def _pairs(
    state: TableState, difference: RowDifference, rtol: float | None
) -> Iterator[tuple[LowerCaseRow | None, LowerCaseRow | None]]:
    """Yield each missing row with the unexpected row that is most like it, and then all others alone."""
    rest = list(difference.unexpected)
    alone = []
    for row in difference.missing[:_SHOWN]:
        scores = [_likeness(state, row, other, rtol) for other in rest[:_SEARCHED]]
        best = max(scores, default=0.0)
        if best > 0:
            yield row, rest.pop(scores.index(best))
        else:
            alone.append(row)
    yield from zip_longest([*alone, *difference.missing[_SHOWN:]], ())
    yield from ((None, row) for row in rest)


def _likeness(state: TableState, one: LowerCaseRow, other: LowerCaseRow, rtol: float | None) -> float:
    """Return how much alike two rows are: those with one primary key most, those with few equal values not at all."""
    same = [column for column in state.columns if _is_same(column, one, other, rtol)]
    if state.primary_key is not None and NameSet(state.primary_key.columns) <= NameSet.of(same):
        return 1.0 + len(same)
    share = len(same) / len(state.columns)
    return share if 2 * share >= 1 else 0.0


def _is_same(column: ColumnState, one: LowerCaseRow, other: LowerCaseRow, rtol: float | None) -> bool:
    name = folded(column.name)
    return values_match(one.get(name), other.get(name), column.data_type, rtol)


def _block(state: TableState, expected: LowerCaseRow | None, actual: LowerCaseRow | None, rtol: float | None) -> str:
    """Show one row of each side, or one that only one side has."""
    lines = [_Line("", "column", "expected", "in the table")]
    keys = NameSet(state.primary_key.columns if state.primary_key is not None else ())
    shows_all = len(state.columns) <= _ALL_COLUMNS
    hidden = 0
    for column in state.columns:
        title, name = f"{column.name} {describe_type(column.data_type)}", folded(column.name)
        if expected is None or actual is None:
            texts = [_NOTHING if row is None else _short_text(row, name) for row in (expected, actual)]
            lines.append(_Line("+" if expected is None else "-", title, *texts))
        elif not _is_same(column, expected, actual, rtol):
            lines.append(_Line("~", title, *_differing(value_text(expected.get(name)), value_text(actual.get(name)))))
        elif shows_all or column.name in keys:
            text = _short_text(expected, name)
            lines.append(_Line("", title, text, text))
        else:
            hidden += 1
    more = f"\n  {counted(hidden, 'column')} with equal values" if hidden else ""
    return _aligned(lines) + more


def _aligned(lines: Sequence[_Line]) -> str:
    shown = [_Line(*map(escaped, line)) for line in lines]
    width, first = max(len(line.column) for line in shown), max(len(line.expected) for line in shown)
    return "\n".join(
        f"{line.marker:1} {line.column:<{width}}  {line.expected:<{first}}  {line.actual}".rstrip() for line in shown
    )


def value_text(value: Any) -> str:
    """Write a value for a failure; numbers and times without the names of their types."""
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, (Decimal, date)) else repr(value)


def _short_text(row: LowerCaseRow, name: str) -> str:
    return shortened(value_text(row.get(name)), _LONGEST)


def _differing(one: str, other: str) -> tuple[str, str]:
    """Cut two texts so that the first character in which they differ is shown."""
    if max(len(one), len(other)) <= _LONGEST:
        return one, other
    first = next((index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    if first < _LONGEST - _CONTEXT:
        return shortened(one, _LONGEST), shortened(other, _LONGEST)
    start = first - _CONTEXT
    return shortened(f"...{one[start:]}", _LONGEST), shortened(f"...{other[start:]}", _LONGEST)
