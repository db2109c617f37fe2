"""Two schemas side by side, one line for every column or field in which they differ."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.delta.names import TABLE, ColumnPath, NameMap
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.spark_types import canonical_fields
from pytest_delta_schema.state.states import TableState
from pytest_delta_schema.state.types import ColumnState, children, describe_type, same_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.delta.names import ColumnPath

_NOTHING = "-"
_ONE_SIDE = {(True, False): "-", (False, True): "+"}


class ComparedRow(NamedTuple):
    """A line about two sides."""

    marker: str
    path: str
    left: str
    right: str


def schema_diff(
    left: StructType | DataFrame | Table | TableState | Sequence[ColumnState],
    right: StructType | DataFrame | Table | TableState | Sequence[ColumnState],
    *,
    names: tuple[str, str] = ("left", "right"),
    nullability: bool = True,
) -> str:
    """Show where two schemas differ, with the paths of nested fields and both sides aligned.

    Columns are matched by name, case aside, so a column that moved is not a difference. A line begins with ``+`` if
    only the right side has the column, with ``-`` if only the left side has it, and with ``~`` if they differ in type,
    nullability or spelling.

    Args:
        left: A schema of Spark's, a DataFrame, a model, or an observed table.
        right: The other schema, in any of these forms.
        names: What the sides are called in the header.
        nullability: Whether NOT NULL counts; Delta ignores that of a frame.

    Returns:
        The lines; ``""`` if the schemas are equal.
    """
    rows = list(_rows(_columns(left), _columns(right), TABLE, nullability=nullability))
    if not rows:
        return ""
    return side_by_side([ComparedRow("", "", *names), *rows])


def side_by_side(rows: Iterable[ComparedRow]) -> str:
    """Show rows, whose first one is the header, with both sides aligned."""
    table = [ComparedRow(*map(escaped, row)) for row in rows]
    width, first = max(len(row.path) for row in table), max(len(row.left) for row in table)
    return "\n".join(f"{row.marker:1} {row.path:<{width}}  {row.left:<{first}}  {row.right}".rstrip() for row in table)


def _columns(schema: Any) -> tuple[ColumnState, ...]:
    if isinstance(schema, Table):
        return desired_state(schema).columns
    if isinstance(schema, TableState):
        return schema.columns
    if isinstance(schema, tuple) and all(isinstance(column, ColumnState) for column in schema):
        return schema
    fields = getattr(getattr(schema, "schema", schema), "fields", None)
    if fields is None:
        msg = f"a schema is {schema!r}; give a StructType, a DataFrame, a Table or a TableState"
        raise DeclarationError(msg)
    return canonical_fields(fields)


def _rows(
    left: Iterable[ColumnState], right: Iterable[ColumnState], above: ColumnPath, *, nullability: bool
) -> Iterator[ComparedRow]:
    others: NameMap[list[ColumnState]] = NameMap()
    for column in right:
        others.setdefault(column.name, []).append(column)
    pairs: list[tuple[ColumnState | None, ColumnState | None]] = []
    for column in left:
        twins = others.get(column.name)
        pairs.append((column, twins.pop(0) if twins else None))
    pairs.extend(zip_longest((), (column for rest in others.values() for column in rest)))
    for one, other in pairs:
        yield from _pair(one, other, above, nullability=nullability)


def _pair(
    one: ColumnState | None, other: ColumnState | None, above: ColumnPath, *, nullability: bool
) -> Iterator[ComparedRow]:
    known = one or other
    if known is None or one == other:
        return
    path = above.child(known.name)
    if one is None or other is None:
        texts = [_NOTHING if side is None else _field_text(side, nullability=nullability) for side in (one, other)]
        yield ComparedRow(_ONE_SIDE[one is not None, other is not None], str(path), *texts)
        return
    nested = same_kind(one.data_type, other.data_type)
    spelling = one.name != other.name
    left, right = (_field_text(side, nullability=nullability, nested=nested) for side in (one, other))
    if left != right or spelling:
        names = (f"{one.name}: ", f"{other.name}: ") if spelling else ("", "")
        yield ComparedRow("~", str(path), f"{names[0]}{left}", f"{names[1]}{right}")
    if nested:
        yield from _rows(children(one.data_type), children(other.data_type), path, nullability=nullability)


def _field_text(column: ColumnState, *, nullability: bool, nested: bool = False) -> str:
    """Write a column's type; of one whose parts have lines of their own, only what it is."""
    text = describe_type(column.data_type)
    if nested:
        text = text.partition("<")[0]
    return text if column.is_nullable or not nullability else f"{text} not null"
