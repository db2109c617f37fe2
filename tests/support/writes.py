"""Pairs of a table and a frame, and the ways to write it, in which predictions are compared with Delta."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import types as spark

from pytest_delta_schema import Column, Merge, Table, When, WriteOptions, to_struct_type
from pytest_delta_schema.exchange import from_ddl
from pytest_delta_schema.state.types import describe_type
from pytest_delta_schema.testing.scenario import INT, LONG, TEXT, field, struct
from pytest_delta_schema.write_check.verdict import FRAME_METHODS
from support.models import NAME, table
from support.record import FRAMES, digest_of
from support.record import STATEMENTS as STATEMENTS_RECORD
from support.record import recorded as lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_delta_schema.state import ColumnState
    from pytest_delta_schema.write_check import WriteVerdict
    from pytest_delta_schema.write_check.verdict import WriteMethod

    Way = Callable[[spark.StructType], WriteOptions | Merge]

SHORT, DOUBLE = spark.ShortType(), spark.DoubleType()
DATE, TIME, VOID = spark.DateType(), spark.TimestampType(), spark.NullType()
A, B = Column("a", INT), Column("b", TEXT)


class Pair(NamedTuple):
    """A table, and the frame that is written to it."""

    table: Table
    frame: spark.StructType


def frame(*fields: spark.StructField, **types: spark.DataType) -> spark.StructType:
    """Declare a frame by the types of its columns."""
    return struct(*fields, *(field(name, kind) for name, kind in types.items()))


def two(kind: spark.DataType, **options: Any) -> Table:
    """Declare a table whose column ``v`` is of a type."""
    return table(A, Column("v", kind), **options)


X, XY = struct(field("x", INT)), struct(field("x", INT), field("y", TEXT))


def pairs_in(name: str) -> dict[str, Pair]:
    """Return the pairs of a file: each has a name, what creates the table, and what would create one like the frame."""
    pairs = {}
    for line in Path(__file__).with_name(name).read_text("utf-8").splitlines():
        title, sql = line.split(": ", 1)
        # Spark 3.5 has no such type; its pairs are played on later versions.
        sql = sql if hasattr(spark, "VariantType") else sql.replace("variant", "void")
        (stored,), (given,) = (from_ddl(f"CREATE TABLE {NAME} {part}") for part in sql.split(" <- "))
        pairs[title] = Pair(stored, to_struct_type(given))
    return pairs


def _never_null(kind: spark.DataType) -> spark.ArrayType:
    return spark.ArrayType(kind, containsNull=False)


PAIRS: dict[str, Pair] = {
    **pairs_in("writes.txt"),
    # No statement creates these frames.
    "extra interval": Pair(table(A), frame(a=INT, c=spark.DayTimeIntervalType())),
    "no column": Pair(table(A), frame()),
    "elements never NULL": Pair(two(spark.ArrayType(INT)), frame(a=INT, v=_never_null(INT))),
    "structs never NULL in array": Pair(two(spark.ArrayType(X)), frame(a=INT, v=_never_null(XY))),
    "array of others, never NULL": Pair(
        two(spark.ArrayType(X)), frame(a=LONG, v=_never_null(struct(field("y", LONG))))
    ),
}


MODES = {
    "plain": WriteOptions(),
    "mergeSchema": WriteOptions(merge_schema=True),
    "autoMerge": WriteOptions(auto_merge=True),
    "overwriteSchema": WriteOptions(mode="overwrite", overwrite_schema=True),
    "overwrite": WriteOptions(mode="overwrite"),
    "overwrite mergeSchema": WriteOptions(mode="overwrite", merge_schema=True),
}
"""Options of a write by a name, for each method."""

BY_ROWS = "missing struct of NOT NULL field"
"""The pair whose refusal an empty frame does not show: Delta accepts the schema and refuses every row."""


def outcome(verdict: WriteVerdict) -> str:
    """Return the outcome of a verdict in one line: the columns after the write, or the error condition."""
    if verdict.accepted:
        return shown(verdict.columns)
    return verdict.findings[0].code


def shown(columns: Iterable[ColumnState]) -> str:
    """Write columns in one line."""
    return ", ".join(f"{c.name} {describe_type(c.data_type)}{'' if c.is_nullable else ' not null'}" for c in columns)


def agree(predicted: str, real: str) -> bool:
    """Whether a predicted outcome is that of Delta; conditions of Spark may have more parts than predicted ones."""
    return predicted == real or real.startswith(f"{predicted}.")


STREAMED = ("plain", "mergeSchema")
NO_STREAM = ("no column", "duplicate by case", "nested duplicate by case")
"""Pairs whose frame no file source streams."""


def cells(pair: str, modes: Iterable[str]) -> Iterator[tuple[WriteMethod, str]]:
    """Yield every method and mode for a pair; streams only append."""
    for method in FRAME_METHODS:
        for mode in modes:
            if method != "write_stream" or (mode in STREAMED and pair not in NO_STREAM):
                yield method, mode


def ways(pair: str) -> Iterator[tuple[WriteMethod, str, WriteOptions]]:
    """Yield every way in which a frame is written: the method, the mode and the options."""
    for method, mode in cells(pair, MODES):
        yield method, mode, replace(MODES[mode], method=method)


def digest(pair: str, ways: Iterable[tuple[str, str, object]]) -> str:
    """Return eight digits that change with the table, the frame and the ways."""
    model, given = PAIRS[pair]
    return digest_of((repr(model), given.simpleString(), [(method, mode) for method, mode, _ in ways]))


def recorded() -> Iterator[tuple[str, str, str, str]]:
    """Yield every recorded result: the pair, the method, the mode and the outcome."""
    return read_record(FRAMES)


def read_record(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield every result of a record of ways."""
    for pair, line in lines_of(path).items():
        for outcome, methods in line["outcomes"].items():
            for method, modes in methods.items():
                yield from ((pair, method, mode, outcome) for mode in modes.split(", "))


def one_way_per_outcome(pair: str, ways: Sequence[tuple[WriteMethod, str]]) -> list[tuple[WriteMethod, str]]:
    """Return ways of writing a pair that together have all of its recorded outcomes, one way each.

    Different pairs take different ways, so together they take all of them.
    """
    outcomes = {(method, mode): outcome for name, method, mode, outcome in recorded() if name == pair}
    groups: dict[str, list[tuple[WriteMethod, str]]] = {}
    for way in ways:
        groups.setdefault(outcomes[way], []).append(way)
    number = list(PAIRS).index(pair)
    return [group[number % len(group)] for group in groups.values()]


def _insert(frame: spark.StructType, by: str = "position", **options: Any) -> WriteOptions:
    names = frame.fieldNames() if by == "columns" else by
    return WriteOptions(method="sql_insert", by=names, **options)


def _quoted(frame: spark.StructType) -> dict[str, str]:
    return {f"`{name}`": f"`{name}`" for name in frame.fieldNames()}


def _merge(frame: spark.StructType, *clauses: str, evolves: bool = False) -> Merge:
    return Merge(evolves=evolves, **dict.fromkeys(clauses, _quoted(frame)))


def _by_source(frame: spark.StructType) -> Merge:
    return Merge(not_matched_by_source={f"`{field.name}`": field.dataType for field in frame.fields})


def _fixed(options: WriteOptions | Merge) -> Way:
    return lambda _: options


STATEMENTS: dict[str, dict[str, Way]] = {
    "sql_insert": {
        "position evolving": partial(_insert, evolves=True),
        "name": partial(_insert, by="name"),
        "name evolving": partial(_insert, by="name", evolves=True),
        "columns": partial(_insert, by="columns"),
    },
    "merge": {
        "update all": _fixed(Merge(matched="all")),
        "update all evolving": _fixed(Merge(matched="all", evolves=True)),
        "insert all": _fixed(Merge(not_matched="all")),
        "insert all evolving": _fixed(Merge(not_matched="all", evolves=True)),
        "update columns": lambda frame: _merge(frame, "matched"),
        "update columns evolving": lambda frame: _merge(frame, "matched", evolves=True),
        "insert columns evolving": lambda frame: _merge(frame, "not_matched", evolves=True),
    },
    "update": {"plain": _fixed(WriteOptions(method="update"))},
}
"""The ways in which every pair is written."""

FURTHER: dict[str, dict[str, Way]] = {
    "sql_insert": {
        "position": _insert,
        "position autoMerge": partial(_insert, auto_merge=True),
        "position overwrite": partial(_insert, mode="overwrite"),
        "position replaceWhere": partial(_insert, mode="overwrite", replace_where="a = 1"),
        "name autoMerge": partial(_insert, by="name", auto_merge=True),
        "name overwrite": partial(_insert, by="name", mode="overwrite"),
        "name overwrite evolving": partial(_insert, by="name", mode="overwrite", evolves=True),
        "name replaceWhere": partial(_insert, by="name", mode="overwrite", replace_where="a = 1"),
        "name dynamic": partial(_insert, by="name", mode="overwrite", dynamic_partitions=True),
        "columns evolving": partial(_insert, by="columns", evolves=True),
        "columns overwrite": partial(_insert, by="columns", mode="overwrite"),
    },
    "merge": {
        "both all": _fixed(Merge(matched="all", not_matched="all")),
        "both all evolving": _fixed(Merge(matched="all", not_matched="all", evolves=True)),
        "insert columns": lambda frame: _merge(frame, "not_matched"),
        "update columns of others": _by_source,
        "delete": _fixed(Merge(matched="delete")),
        "delete others": _fixed(Merge(not_matched_by_source="delete")),
    },
    "delete": {"plain": _fixed(WriteOptions(method="delete"))},
}
"""Further ways, in which a few pairs are written."""

OVERWRITES: dict[str, dict[str, Any]] = {
    "replaceWhere": {"replace_where": "a = 1"},
    "replaceWhere unknown": {"replace_where": "zz = 1"},
    "replaceWhere overwriteSchema": {"replace_where": "a = 1", "overwrite_schema": True},
    "replaceWhere dynamic": {"replace_where": "a = 1", "dynamic_partitions": True},
    "dynamic": {"dynamic_partitions": True},
    "dynamic overwriteSchema": {"dynamic_partitions": True, "overwrite_schema": True},
}
PARTITIONS: dict[str, dict[str, Any]] = {
    f"{mode} partitionBy {name}": {"mode": mode, "partition_by": [name]}
    for mode, name in product(("append", "overwrite"), ("a", "b", "B", "zz"))
} | {
    f"overwriteSchema partitionBy {name}": {"mode": "overwrite", "overwrite_schema": True, "partition_by": [name]}
    for name in ("a", "zz")
}

OVERWRITTEN = ("equal", "extra column", "partitioned", "append only")
WRITTEN_FURTHER = ("extra column", "missing column", "wider int", "extra field", "given identity", "append only")
UNWRITTEN = {
    *("array into string", "array of more in a struct", "array of others in a struct"),
    *("array of others, never NULL", "byte and wider, widening", "byte to int, all wider", "clustered"),
    *("date into timestamp", "date to ntz, widening", "decimal of more scale, widening"),
    *("decimal of other scale", "double into decimal", "double into float", "elements never NULL"),
    *("extra NOT NULL column", "extra odd name, mapped", "extra void in array", "float into double"),
    *("float to double, widening", "int into binary", "int into decimal", "int into string"),
    *("int into varchar", "int to decimal, widening", "lengths below", "mapped", "mapped, missing"),
    *("missing clustered", "missing NOT NULL, extra", "ntz into timestamp", "retyped default"),
    *("retyped map key", "retyped map value", "smaller int, widening", "string into binary"),
    *("string into timestamp", "string into variant", "timestamp into date", "variant", "void into void"),
    *("void in a struct beside a cast", "wider decimal", "wider decimal, widening", "wider element"),
    *("wider element, widening", "string into int, widening", "wider field"),
}
"""Pairs that statements treat as others."""


NO_VALUE = (
    "missing NOT NULL",
    "missing NOT NULL field",
    "missing struct of NOT NULL field",
    "NOT NULL struct",
    "missing NOT NULL partition",
)
NULL_ASSIGNED, ROWS_REMOVED, ALL_VOID = (
    "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
    "DELTA_CANNOT_MODIFY_APPEND_ONLY",
    "DELTA_CANNOT_WRITE_EMPTY_SCHEMA.STRUCT_ALL_VOID_FIELDS",
)
_INSERTED = ("insert all evolving", "insert columns evolving")
STATEMENTS_BY_ROWS: dict[tuple[str, str, str], str] = {
    **{(pair, "merge", mode): NULL_ASSIGNED for pair in NO_VALUE for mode in _INSERTED},
    ("missing NOT NULL field", "merge", "update columns evolving"): NULL_ASSIGNED,
    **{
        ("missing struct of NOT NULL field", "sql_insert", mode): NULL_ASSIGNED
        for mode in ("name", "name evolving", "columns")
    },
    **{("extra struct with void", "merge", f"update {what} evolving"): ALL_VOID for what in ("all", "columns")},
    **{
        ("append only", "merge", mode): ROWS_REMOVED
        for mode in (
            "update all",
            "update all evolving",
            "update columns",
            "update columns evolving",
            "both all",
            "both all evolving",
            "update columns of others",
            "delete",
            "delete others",
        )
    },
}
"""Ways that Delta accepts without rows and refuses for the first one (Delta 4.4.0)."""


def statement_ways(pair: str) -> Iterator[tuple[str, str, WriteOptions | Merge]]:
    """Yield every way in which a pair is written by statements: the method, the mode and the options."""
    frame = PAIRS[pair].frame
    listed = [STATEMENTS] * (pair not in UNWRITTEN) + [FURTHER] * (pair in WRITTEN_FURTHER)
    for methods in listed:
        for method, modes in methods.items():
            for mode, way in modes.items():
                if len(frame.fields) or not ("columns" in mode or method == "update"):
                    yield method, mode, way(frame)
    if pair in OVERWRITTEN:
        for method, (mode, options) in product(
            ("save", "save_as_table", "insert_into", "write_to"), OVERWRITES.items()
        ):
            if (method, mode) != ("write_to", "replaceWhere dynamic"):
                yield method, mode, WriteOptions(method=method, mode="overwrite", **options)
        for method, (mode, options) in product(("save", "save_as_table"), PARTITIONS.items()):
            yield method, mode, WriteOptions(method=method, **options)


def recorded_statements() -> Iterator[tuple[str, str, str, str]]:
    """Yield every recorded result: the pair, the method, the mode and the outcome."""
    return read_record(STATEMENTS_RECORD)


DAYS, SETTING, NONE = (
    f"DATATYPE_MISMATCH.CAST_{suggestion}_SUGGESTION" for suggestion in ("WITH_FUNC", "WITH_CONF", "WITHOUT")
)
CASTS: tuple[tuple[str, str, str, str], ...] = (
    ("int", "date", DAYS, DAYS),
    ("bigint", "binary", SETTING, SETTING),
    ("float", "binary", NONE, NONE),
    ("int", "struct<a: int>", NONE, NONE),
    ("array<int>", "date", NONE, NONE),
    ("array<date>", "array<int>", DAYS, SETTING),
    ("array<int>", "array<binary>", DAYS, SETTING),
    ("array<map<string, int>>", "array<map<string, date>>", NONE, NONE),
    ("array<map<string, int>>", "array<map<string, binary>>", DAYS, SETTING),
    ("array<struct<a: int>>", "array<struct<a: date>>", DAYS, DAYS),
    ("array<struct<a: int>>", "array<struct<a: binary>>", SETTING, SETTING),
    ("struct<a: int>", "struct<a: date>", DAYS, DAYS),
    ("struct<a: array<int>>", "struct<a: array<date>>", NONE, NONE),
    ("struct<a: map<string, int>>", "struct<a: map<string, date>>", DAYS, NONE),
    ("map<string, int>", "map<string, date>", DAYS, DAYS),
    ("map<string, int>", "map<string, binary>", DAYS, SETTING),
    ("map<int, string>", "map<date, string>", DAYS, DAYS),
    ("map<string, array<int>>", "map<string, array<date>>", NONE, NONE),
    ("map<string, struct<a: int>>", "map<string, struct<a: date>>", DAYS, DAYS),
)
"""Types without a cast, given and stored, and the conditions in a MERGE or an UPDATE and in an INSERT."""

MERGED = table(
    Column("id", LONG, is_nullable=False),
    A,
    B,
    Column("s", "struct<x: int, y: string>"),
    Column("l", "array<struct<x: int>>"),
    Column("m", "map<string, int>"),
    Column("k", "array<int>"),
)
NUMBERED = table(*MERGED.columns, Column("i", LONG, identity=True))
GENERATED = table(*MERGED.columns, Column("g", LONG, generated_as="id + 1"))
WHOLE = struct(*(field(column.name, column.data_type) for column in MERGED.columns))
_NOT_THERE, _NO_FIELD, _NESTED = "INTERNAL_ERROR", "FIELD_NOT_FOUND", "DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE"
_GIVEN = "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"
SEVERAL_REASONS: tuple[tuple[Table, spark.StructType, WriteOptions | Merge, Sequence[str]], ...] = (
    (MERGED, WHOLE, Merge(matched={"b": "zz", "s.w": "a"}), [_NO_FIELD, _NOT_THERE]),
    (MERGED, WHOLE, Merge(matched=When("source.zz = 1 AND a = 1", "delete")), ["AMBIGUOUS_REFERENCE", _NOT_THERE]),
    (MERGED, WHOLE, Merge(matched={"l.x": "a", "s.w": "a"}), [_NO_FIELD, _NESTED]),
    (MERGED, WHOLE, Merge(matched={"m.key": "a"}), [_NESTED]),
    (MERGED, WHOLE, Merge(matched={"k": "l.x"}), []),
    (NUMBERED, WHOLE, Merge(matched={"a": "s"}, not_matched={"id": "id", "i": "id"}), [_GIVEN, NONE]),
    (GENERATED, WHOLE, Merge(not_matched_by_source={"a": DATE}), ["DELTA_CANNOT_RESOLVE_EXPRESSION"]),
    (MERGED, struct(field("m.k", INT)), WriteOptions(method="update"), [_NESTED]),
)
"""Statements with more than one reason to be refused, and the conditions in the order of Delta."""
