"""Ways to write by statements, and by overwrites that replace some rows, which predictions are compared with Delta."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from pytest_delta_schema import Merge, WriteOptions
from support.record import STATEMENTS as STATEMENTS_RECORD
from support.writes import PAIRS, read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql.types import StructType

    Way = Callable[[StructType], WriteOptions | Merge]


def _insert(frame: StructType, by: str = "position", **options: Any) -> WriteOptions:
    names = frame.fieldNames() if by == "columns" else by
    return WriteOptions(method="sql_insert", by=names, **options)


def _quoted(frame: StructType) -> dict[str, str]:
    return {f"`{name}`": f"`{name}`" for name in frame.fieldNames()}


def _merge(frame: StructType, *clauses: str, evolves: bool = False) -> Merge:
    return Merge(evolves=evolves, **dict.fromkeys(clauses, _quoted(frame)))


def _by_source(frame: StructType) -> Merge:
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
    "array into string",
    "array of more in a struct",
    "array of others in a struct",
    "array of others, never NULL",
    "byte and wider, widening",
    "byte to int, all wider",
    "clustered",
    "date into timestamp",
    "date to ntz, widening",
    "decimal of more scale, widening",
    "decimal of other scale",
    "double into decimal",
    "double into float",
    "elements never NULL",
    "extra NOT NULL column",
    "extra odd name, mapped",
    "extra void in array",
    "float into double",
    "float to double, widening",
    "int into binary",
    "int into decimal",
    "int into string",
    "int into varchar",
    "int to decimal, widening",
    "lengths below",
    "mapped",
    "mapped, missing",
    "missing clustered",
    "missing NOT NULL, extra",
    "ntz into timestamp",
    "retyped default",
    "retyped map key",
    "retyped map value",
    "smaller int, widening",
    "string into binary",
    "string into timestamp",
    "string into variant",
    "timestamp into date",
    "variant",
    "void into void",
    "void in a struct beside a cast",
    "wider decimal",
    "wider decimal, widening",
    "wider element",
    "wider element, widening",
    "string into int, widening",
    "wider field",
}
"""Pairs that statements treat as others."""


NO_VALUE = (
    "missing NOT NULL",
    "missing NOT NULL field",
    "missing struct of NOT NULL field",
    "NOT NULL struct",
    "missing NOT NULL partition",
)
NULL, REMOVED, VOID = (
    "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
    "DELTA_CANNOT_MODIFY_APPEND_ONLY",
    "DELTA_CANNOT_WRITE_EMPTY_SCHEMA.STRUCT_ALL_VOID_FIELDS",
)
_INSERTED = ("insert all evolving", "insert columns evolving")
BY_ROWS: dict[tuple[str, str, str], str] = {
    **{(pair, "merge", mode): NULL for pair in NO_VALUE for mode in _INSERTED},
    ("missing NOT NULL field", "merge", "update columns evolving"): NULL,
    **{("missing struct of NOT NULL field", "sql_insert", mode): NULL for mode in ("name", "name evolving", "columns")},
    **{("extra struct with void", "merge", f"update {what} evolving"): VOID for what in ("all", "columns")},
    **{
        ("append only", "merge", mode): REMOVED
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
"""Ways that Delta accepts without rows and refuses for the first one; each is run with rows on Delta."""


def ways(pair: str) -> Iterator[tuple[str, str, WriteOptions | Merge]]:
    """Yield every way in which a pair is written by statements: the method, the mode and the options."""
    frame = PAIRS[pair].frame
    tables = [STATEMENTS] * (pair not in UNWRITTEN) + [FURTHER] * (pair in WRITTEN_FURTHER)
    for table in tables:
        for method, modes in table.items():
            for mode, way in modes.items():
                if len(frame.fields) or not ("columns" in mode or method == "update"):
                    yield method, mode, way(frame)
    if pair in OVERWRITTEN:
        for method, (mode, options) in product(
            ("save", "save_as_table", "insert_into", "write_to"),
            OVERWRITES.items(),
        ):
            if (method, mode) != ("write_to", "replaceWhere dynamic"):
                yield method, mode, WriteOptions(method=method, mode="overwrite", **options)
        for method, (mode, options) in product(("save", "save_as_table"), PARTITIONS.items()):
            yield method, mode, WriteOptions(method=method, **options)


def recorded_statements() -> Iterator[tuple[str, str, str, str]]:
    """Yield every recorded result: the pair, the method, the mode and the outcome."""
    return read_record(STATEMENTS_RECORD)
