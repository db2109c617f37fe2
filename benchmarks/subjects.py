"""The tables of the benchmarks: a thousand of fifty columns, some nested, and their logs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.types import (
    ArrayType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from pytest_delta_schema import Column, ForeignKey, QualifiedName, Table, Unique
from pytest_delta_schema.state.delta_log import LogFacts

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.state import TableState

COLUMNS = 50
_NESTED = StructType(
    [
        StructField("amount", DecimalType(18, 2)),
        StructField("currency", StringType(), metadata={"comment": "ISO"}),
        StructField(
            "rates", ArrayType(StructType([StructField("day", DateType()), StructField("rate", DoubleType())]))
        ),
        StructField("labels", MapType(StringType(), StringType())),
    ]
)
_TYPES: tuple[DataType, ...] = (LongType(), StringType(), TimestampType(), DecimalType(18, 2), IntegerType())


SOURCE = Path(__file__).parent
"""Folder of this module, for programs that import it."""


def models(count: int) -> list[Table]:
    """Declare ``count`` tables of fifty commented columns, every tenth of them a struct."""
    return [model(number) for number in range(count)]


def model(number: int, column: Callable[..., Any] = Column, table: Callable[..., Any] = Table) -> Any:
    """Declare one of the tables, by default with the classes of this package."""
    return table(
        "dev",
        "silver",
        f"table_{number:05d}",
        [
            column(
                f"column_{index:02d}_{number:05d}",
                _NESTED if index % 10 == 9 else _TYPES[index % len(_TYPES)],
                is_nullable=index > 0,
                comment=f"Comment {index}",
            )
            for index in range(COLUMNS)
        ],
        comment=f"Table {number}",
        table_properties={"delta.appendOnly": "true", "team": "platform"},
        primary_key=[f"column_00_{number:05d}"],
    )


def described_models(count: int, kinds: Kinds | None = None) -> list[Any]:
    """Declare the same tables with tags on the table and on every second column, and with keys.

    Args:
        count: How many.
        kinds: What to declare them with, by default the classes of this package.
    """
    return [_described(number, kinds or Kinds(Column, Table, ForeignKey, Unique)) for number in range(count)]


class Kinds(NamedTuple):
    """Classes of declarations."""

    column: Callable[..., object]
    table: Callable[..., object]
    foreign_key: Callable[..., object]
    unique: Callable[..., object]


def _described(number: int, kinds: Kinds) -> object:
    return kinds.table(
        "dev",
        "silver",
        f"table_{number:05d}",
        [
            kinds.column(
                f"column_{index:02d}_{number:05d}",
                _NESTED if index % 10 == 9 else _TYPES[index % len(_TYPES)],
                is_nullable=index > 0,
                comment=f"Comment {index}",
                tags={"pii": "no", "owner": "crm"} if index % 2 else {},
            )
            for index in range(COLUMNS)
        ],
        comment=f"Table {number}",
        table_properties={"delta.appendOnly": "true", "team": "platform"},
        primary_key=[f"column_00_{number:05d}"],
        foreign_keys=[kinds.foreign_key([f"column_05_{number:05d}"], "dev.silver.table_00000", [f"column_00_{0:05d}"])],
        unique=[kinds.unique([f"column_01_{number:05d}"])],
        tags={"team": "crm"},
    )


_NESTED_FROM = 50_000


def nested_models(count: int) -> list[Table]:
    """Declare tables in which three columns in ten are arrays, maps and nested structs; no two share a type object.

    Their names are not those of :func:`models`: a name that is declared twice is looked up among all in each round.
    """

    def nested(index: int, column: Column) -> Column:
        kind = _NESTED_KINDS.get(index % 10)
        return column if kind is None else replace(column, data_type=kind())

    return [
        replace(table, columns=[nested(index, column) for index, column in enumerate(table.columns)])
        for table in map(model, range(_NESTED_FROM, _NESTED_FROM + count))
    ]


def _lines() -> DataType:
    price = StructType([StructField("net", DecimalType(18, 2)), StructField("currency", StringType())])
    return ArrayType(StructType([StructField("item", LongType(), nullable=False), StructField("price", price)]))


def _attributes() -> DataType:
    return MapType(StringType(), ArrayType(StringType(), containsNull=False))


def _address() -> DataType:
    point = StructType([StructField("lat", DoubleType()), StructField("lon", DoubleType())])
    fields = [StructField("city", StringType(), metadata={"comment": "Name"}), StructField("geo", point)]
    return StructType([*fields, StructField("labels", MapType(StringType(), StringType()))])


_NESTED_KINDS = {3: _lines, 6: _attributes, 9: _address}


def schema_string(table: Table) -> str:
    """Write the table's columns as a Delta log does."""
    schema = StructType(
        [
            StructField(column.name, column.data_type, column.is_nullable, {"comment": column.comment})
            for column in table.columns
        ]
    )
    return schema.json()


def observed(table: Table, wanted: TableState) -> TableState:
    """Return the state of a table in line, read from the JSON of its log as a catalog would."""
    metadata = {
        "schemaString": schema_string(table),
        "description": table.comment,
        "configuration": dict(table.table_properties),
    }
    facts = LogFacts(metadata, {"minReaderVersion": 1, "minWriterVersion": 2}, version=0)
    read = facts.state(QualifiedName(*map(str, table.name)))
    keys = {name: getattr(wanted, name) for name in ("primary_key", "unique", "foreign_keys")}
    return replace(read, **keys, tags=MappingProxyType(dict(wanted.tags)))


def drifted(state: TableState) -> TableState:
    """Remove five things from a state: a column, a comment, NOT NULL, the table's comment, a property."""
    first, second, *rest = state.columns
    return replace(
        state,
        columns=(first._replace(is_nullable=True), second._replace(comment=""), *rest[:-1]),
        table_comment="",
        table_properties={"delta.appendOnly": "true"},
    )


def size(tables: list[Table]) -> float:
    """Return the mean length of a schema string, in kilobytes."""
    return sum(len(schema_string(table)) for table in tables) / len(tables) / 1000


def parse_all(texts: list[str]) -> list[object]:
    """The reference: parse every schema string and keep what was parsed, as a plan keeps what was planned."""
    return [json.loads(text) for text in texts]
