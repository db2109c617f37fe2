"""Writes of rows: tables and frames that differ in one way at every depth, each written in many ways.

The leaves of a row are numbered, so what is stored shows to which column or field each value came.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import types as spark

from pytest_delta_schema import Column, Merge, When, WriteOptions
from pytest_delta_schema.delta.char_varchar import without_lengths
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import INT, LONG, TEXT, field, struct
from support.models import table
from support.record import digest_of
from support.writes import DATE, DOUBLE, FLAG, SHORT, TIME, VOID, A, Pair, pairs_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Options = WriteOptions | Merge

AB, BA = struct(field("x", INT), field("y", INT)), struct(field("y", INT), field("x", INT))
WIDE_AB, WIDE_BA = struct(field("x", LONG), field("y", INT)), struct(field("y", INT), field("x", LONG))
SMALL_BA = struct(field("y", SHORT), field("x", INT))
ABC, CAB = struct(*AB.fields, field("z", INT)), struct(field("z", INT), *AB.fields)
DIFFERENCES: dict[str, tuple[spark.DataType, spark.DataType]] = {
    "fields turned": (AB, BA),
    "fields turned, into wider": (WIDE_AB, BA),
    "fields turned, into narrower": (AB, WIDE_BA),
    "fields turned, into others": (AB, SMALL_BA),
    "field more": (AB, ABC),
    "field more in front": (AB, CAB),
    "field less": (ABC, AB),
    "field less in front": (CAB, AB),
    "equal": (INT, INT),
    "text into varchar(3)": (spark.VarcharType(3), TEXT),
    "text into char(3)": (spark.CharType(3), TEXT),
    "text into varchar(9)": (spark.VarcharType(9), TEXT),
    "int into varchar(3)": (spark.VarcharType(3), INT),
    "int into char(9)": (spark.CharType(9), INT),
    "int into bigint": (LONG, INT),
    "bigint into int": (INT, LONG),
    "int into smallint": (SHORT, INT),
    "text into int": (INT, TEXT),
    "int into text": (TEXT, INT),
    "double into int": (INT, DOUBLE),
    "text into date": (DATE, TEXT),
    "timestamp into date": (DATE, TIME),
    "int into boolean": (FLAG, INT),
    "void": (INT, VOID),
}
"""The types of a part of the table, and of the frame."""

DEPTHS: dict[str, Callable[[spark.DataType], spark.DataType]] = {
    "column": lambda kind: kind,
    "field": lambda kind: struct(field("k", INT), field("f", kind)),
    "element": spark.ArrayType,
    "value": lambda kind: spark.MapType(TEXT, kind),
    "field of an element": lambda kind: spark.ArrayType(struct(field("k", INT), field("f", kind))),
}


def _pair(stored: spark.DataType, given: spark.DataType, **options: Any) -> Pair:
    return Pair(table(A, Column("v", stored), **options), struct(field("a", INT), field("v", given)))


def _wrapped(difference: str, depth: str) -> tuple[spark.DataType, spark.DataType]:
    stored, given = DIFFERENCES[difference]
    return DEPTHS[depth](stored), DEPTHS[depth](given)


OTHERS: dict[str, Pair] = pairs_in("cells.txt")

PAIRS: dict[str, Pair] = {
    **OTHERS,
    **{
        f"{difference}, {depth}": _pair(*_wrapped(difference, depth))
        for difference in DIFFERENCES
        for depth in DEPTHS
        if not (difference == "void" and depth in ("element", "value"))
    },
}
"""What is written to what."""


def _columns(frame: spark.StructType) -> dict[str, str | spark.DataType]:
    return {name: name for name in frame.names}


WAYS: dict[str, Callable[[spark.StructType], Options]] = {
    "save": lambda _: WriteOptions(),
    "save mergeSchema": lambda _: WriteOptions(merge_schema=True),
    "save overwrite": lambda _: WriteOptions(mode="overwrite"),
    "save dynamic": lambda _: WriteOptions(mode="overwrite", dynamic_partitions=True),
    "saveAsTable": lambda _: WriteOptions(method="save_as_table"),
    "saveAsTable mergeSchema": lambda _: WriteOptions(method="save_as_table", merge_schema=True),
    "saveAsTable overwrite": lambda _: WriteOptions(method="save_as_table", mode="overwrite"),
    "writeTo": lambda _: WriteOptions(method="write_to"),
    "writeTo mergeSchema": lambda _: WriteOptions(method="write_to", merge_schema=True),
    "writeTo overwrite": lambda _: WriteOptions(method="write_to", mode="overwrite"),
    "writeTo dynamic": lambda _: WriteOptions(method="write_to", mode="overwrite", dynamic_partitions=True),
    "writeStream": lambda _: WriteOptions(method="write_stream"),
    "writeStream mergeSchema": lambda _: WriteOptions(method="write_stream", merge_schema=True),
    "insertInto": lambda _: WriteOptions(method="insert_into"),
    "insertInto mergeSchema": lambda _: WriteOptions(method="insert_into", merge_schema=True),
    "insertInto dynamic": lambda _: WriteOptions(method="insert_into", mode="overwrite", dynamic_partitions=True),
    "INSERT": lambda _: WriteOptions(method="sql_insert"),
    "INSERT evolving": lambda _: WriteOptions(method="sql_insert", evolves=True),
    "INSERT OVERWRITE": lambda _: WriteOptions(method="sql_insert", mode="overwrite"),
    "INSERT dynamic": lambda _: WriteOptions(method="sql_insert", mode="overwrite", dynamic_partitions=True),
    "INSERT BY NAME": lambda _: WriteOptions(method="sql_insert", by="name"),
    "INSERT BY NAME evolving": lambda _: WriteOptions(method="sql_insert", by="name", evolves=True),
    "INSERT OVERWRITE BY NAME": lambda _: WriteOptions(method="sql_insert", by="name", mode="overwrite"),
    "INSERT of columns": lambda frame: WriteOptions(method="sql_insert", by=frame.names),
    "UPDATE": lambda _: WriteOptions(method="update"),
    "DELETE": lambda _: WriteOptions(method="delete"),
    "MERGE UPDATE *": lambda _: Merge(matched="all"),
    "MERGE UPDATE * evolving": lambda _: Merge(matched="all", evolves=True),
    "MERGE UPDATE of columns": lambda frame: Merge(matched=_columns(frame)),
    "MERGE UPDATE of columns evolving": lambda frame: Merge(matched=_columns(frame), evolves=True),
    "MERGE DELETE": lambda _: Merge(matched="delete"),
    "MERGE INSERT *": lambda _: Merge(not_matched="all"),
    "MERGE INSERT * evolving": lambda _: Merge(not_matched="all", evolves=True),
    "MERGE INSERT of columns": lambda frame: Merge(not_matched=_columns(frame)),
    "MERGE INSERT of columns evolving": lambda frame: Merge(not_matched=_columns(frame), evolves=True),
    "MERGE both": lambda _: Merge(matched="all", not_matched="all"),
    "MERGE of conditions": lambda _: Merge(
        matched=[When("target.a = 99", "delete"), "all"], not_matched=When("source.a > 0", "all")
    ),
    "MERGE DELETE by source": lambda _: Merge(not_matched_by_source="delete"),
    "MERGE UPDATE by source": lambda _: Merge(not_matched="all", not_matched_by_source={"a": INT}),
}
"""How it is written."""

_IN_TURN = 7
"""Each difference at each depth is written in one of so many ways."""


class Cell(NamedTuple):
    """A write of a pair."""

    pair: str
    way: str

    @property
    def options(self) -> Options:
        """How it is written."""
        return WAYS[self.way](PAIRS[self.pair].frame)


@cache
def ways_of(pair: str) -> tuple[str, ...]:
    """Return the ways in which a pair is written: all of them, or a part that changes from pair to pair."""
    number = [*PAIRS].index(pair)
    turns = 3 if pair in OTHERS or "turned" in pair else _IN_TURN
    return tuple(way for at, way in enumerate(WAYS) if at % turns == number % turns)


def digest(pair: str) -> str:
    """Return eight digits that change with the table, the frame and the ways."""
    state = desired_state(PAIRS[pair].table)
    parts = (state.columns, state.checks, state.partitioning, sorted(state.table_properties.items()))
    return digest_of(
        (parts, PAIRS[pair].frame.simpleString(), [(way, Cell(pair, way).options) for way in ways_of(pair)])
    )


FIRST_STORED, FIRST_GIVEN = 1, 12341
"""The first leaves of the row that the table has, and of the row that is written."""


def numbered(schema: spark.StructType, first: int) -> dict[str, Any]:
    """Return a row whose leaves are numbered."""
    numbers = iter(range(first, first + 100))
    return {part.name: _leaf(part.dataType, numbers) for part in schema.fields}


def _leaf(kind: spark.DataType, numbers: Iterator[int]) -> Any:  # noqa: PLR0911 - one for each kind of type
    if isinstance(kind, spark.StructType):
        return {part.name: _leaf(part.dataType, numbers) for part in kind.fields}
    if isinstance(kind, spark.ArrayType):
        return [_leaf(kind.elementType, numbers)]
    if isinstance(kind, spark.MapType):
        return {
            "k" if isinstance(without_lengths(kind.keyType), spark.StringType) else 1: _leaf(kind.valueType, numbers)
        }
    number = next(numbers)
    if isinstance(kind, (spark.StringType, spark.VarcharType, spark.CharType)):
        return str(number)
    if isinstance(kind, spark.DateType):
        return date(2026, 1, number % 28 + 1)
    if isinstance(kind, spark.TimestampType):
        return datetime(2026, 1, number % 28 + 1, 1)  # noqa: DTZ001 - frames have times of the session
    if isinstance(kind, spark.DecimalType):
        return Decimal(number)
    if isinstance(kind, spark.NullType):
        return None
    if isinstance(kind, spark.BooleanType):
        return bool(number)
    return float(number) if isinstance(kind, spark.DoubleType) else number


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the paths of the leaves of a row, and their values as text."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, f"{path}.{str(name).strip()}".lstrip("."))
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part, f"{path}.element")
    else:
        yield path, "NULL" if value is None else str(value).rstrip().removesuffix(".0")
