"""Fingerprints of rows: whether two relations have the same values, in any order of rows and files.

A fingerprint counts the rows and adds up a 64-bit hash of each column, and of each whole row. Spark's ``xxhash64``
ignores NULL, hashes ``-0.0`` as ``0.0``, and refuses maps (Spark 4.2.0), so its arguments are prepared here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, describe_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

    from pytest_delta_schema.state.types import ColumnState, DataTypeState


class Fingerprint(NamedTuple):
    """The number of rows of a relation, and the sums of their hashes."""

    rows: int
    columns: tuple[Decimal | None, ...]
    """For each column, in order, the sum of the hashes of its values; ``None`` without rows."""
    whole: Decimal | None
    """The sum of the hashes of whole rows, which shows values that were swapped between rows."""

    @classmethod
    def of(cls, row: Sequence[Any]) -> Fingerprint:
        """Read the one row that :func:`fingerprint_query` returns."""
        count, *columns, whole = row
        return cls(count, tuple(columns), whole)


def fingerprint_query(relation: str, columns: Sequence[ColumnState]) -> str:
    """Return the query, of one scan, whose only row is the fingerprint of a relation.

    Run it with ``spark.sql.session.timeZone`` set to the same zone for both relations that are compared: variants are
    hashed as JSON, in which timestamps are written in the zone of the session.

    The relation is a quoted name, or a query in parentheses.
    """
    names = [f"h{index}" for index in range(len(columns))]
    hashes = ", ".join(f"{_hash(column, identifier(column.name))} AS {name}" for column, name in zip(columns, names))  # noqa: B905
    sums = [_sum(name) for name in names]
    whole = _sum(f"xxhash64({', '.join(names)})")
    return f"SELECT {', '.join(['count(*)', *sums, whole])} FROM (SELECT {hashes} FROM {relation})"  # noqa: S608 - quoted right here


def difference(columns: Sequence[ColumnState], before: Fingerprint, after: Fingerprint) -> str:
    """Describe how two fingerprints of the same columns differ; ``""`` if they are equal."""
    if before == after:
        return ""
    if before.rows != after.rows:
        return f"there are {after.rows:,} rows instead of {before.rows:,}"
    pairs = zip(columns, before.columns, after.columns, strict=True)
    changed = [f"{column.name} ({describe_type(column.data_type)})" for column, old, new in pairs if old != new]
    if not changed:
        return "values were swapped between rows"
    return f"the values of {'column' if len(changed) == 1 else 'columns'} {', '.join(changed)} differ"


def _sum(hashed: str) -> str:
    return f"sum(CAST({hashed} AS DECIMAL(38,0)))"


def _hash(column: ColumnState, value: str, depth: int = 0) -> str:
    return f"xxhash64({', '.join(_parts(column.data_type, value, depth))})"


def _parts(data_type: DataTypeState, value: str, depth: int) -> Iterator[str]:
    """Yield expressions that differ where two values of a type differ: first whether it is NULL, which a hash ignores.

    ``value`` is an expression for the value. ``depth`` is in how many lambdas it is nested; each names its variable by
    its number.
    """
    yield f"{value} IS NULL"
    if isinstance(data_type, StructState):
        yield from _fields(data_type.fields, value, depth)
    elif isinstance(data_type, ArrayState):
        element = f"e{depth}"
        yield f"transform({value}, {element} -> xxhash64({_joined(_parts(data_type.element, element, depth + 1))}))"
    elif isinstance(data_type, MapState):
        # The entries of a map have no order.
        entry = f"e{depth}"
        key = _parts(data_type.key, f"{entry}.key", depth + 1)
        inner = _parts(data_type.value, f"{entry}.value", depth + 1)
        yield f"array_sort(transform(map_entries({value}), {entry} -> xxhash64({_joined((*key, *inner))})))"
    else:
        yield from _atomic(data_type, value)


def _fields(fields: Iterable[ColumnState], value: str, depth: int) -> Iterator[str]:
    for field in fields:
        yield from _parts(field.data_type, f"{value}.{identifier(field.name)}", depth)


def _atomic(data_type: str, value: str) -> Iterator[str]:
    if data_type == "variant":
        yield f"to_json({value})"
    elif data_type.startswith("char("):
        # Trailing blanks are not part of the value: Spark adds them when it reads, and compares without them.
        yield f"rtrim({value})"
    elif data_type != "void":
        yield value
        if data_type in {"double", "float"}:
            yield f"CASE WHEN {value} = 0 THEN CAST({value} AS STRING) END"


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(parts)
