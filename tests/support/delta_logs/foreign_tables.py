"""Tables as delta-rs writes them and Spark does not, and changes of them that Delta accepts or refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from deltalake import write_deltalake
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column
from pytest_delta_schema.delta.protocol import MAPPING_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_delta_schema import Table

_INT = pa.int32()
_ID = pa.field("id", pa.int64())
_LIST = pa.list_(pa.field("element", _INT, nullable=False))
_MAP = pa.map_(pa.string(), pa.field("value", _INT, nullable=False))
_STRUCT = pa.struct([pa.field("n", _INT, nullable=False), pa.field("o", _INT)])

SHAPES: dict[str, pa.Schema] = {
    "space": pa.schema([_ID, pa.field("order id", pa.int64())]),
    "comma": pa.schema([_ID, pa.field("s", pa.struct([pa.field("x,y", _INT)]))]),
    "element": pa.schema([_ID, pa.field("a", _LIST)]),
    "value": pa.schema([_ID, pa.field("m", _MAP)]),
    "field": pa.schema([_ID, pa.field("r", pa.list_(pa.field("element", _STRUCT)))]),
}
"""The schemas by a name."""


class Change(NamedTuple):
    """A change of a model that fits its table.

    Args:
        shape: The schema of the table.
        name: Of the change.
        edit: Makes the change.
        codes: The rules that refuse its plan; none if Delta carries it out.
    """

    shape: str
    name: str
    edit: Callable[[Table], Table]
    codes: tuple[str, ...] = ()


def write(folder: Path, shape: str) -> None:
    """Write a table without rows."""
    write_deltalake(str(folder), pa.Table.from_pylist([], schema=SHAPES[shape]))


def _add(*columns: Column) -> Callable[[Table], Table]:
    return lambda model: replace(model, columns=[*model.columns, *columns])


def _with(**options: Any) -> Callable[[Table], Table]:
    return lambda model: replace(model, **options)


def _mapped(edit: Callable[[Table], Table]) -> Callable[[Table], Table]:
    return lambda model: replace(edit(model), table_properties={MAPPING_PROPERTY: "name"})


def _first(**options: Any) -> Callable[[Table], Table]:
    return lambda model: replace(model, columns=[replace(model.columns[0], **options), *model.columns[1:]])


def _last(data_type: spark.DataType) -> Callable[[Table], Table]:
    return lambda model: replace(model, columns=[model.columns[0], replace(model.columns[1], data_type=data_type)])


def _both(*edits: Callable[[Table], Table]) -> Callable[[Table], Table]:
    def edit(model: Table) -> Table:
        for one in edits:
            model = one(model)
        return model

    return edit


_REFUSED, _NESTED = ("DS107",), ("DS106",)
_FIELDS = [spark.StructField(name, spark.IntegerType()) for name in ("n", "o")]
_NULLABLE = _last(spark.ArrayType(spark.StructType(_FIELDS)))
_NEW = Column("added", "int")
_CHECKED = _with(checks=[Check("positive", "id > 0")])
_NOT_NULL = spark.ArrayType(spark.IntegerType(), containsNull=False)

CHANGES = (
    Change("space", "add column", _add(_NEW), _REFUSED),
    Change("space", "add special", _add(Column("a=b", "int")), ("DS107", "DS107")),
    Change("space", "comment", _with(comment="x"), _REFUSED),
    Change("space", "property", _with(table_properties={"a": "b"}), _REFUSED),
    Change("space", "mapping", _mapped(_both(_add(_NEW), _with(comment="x"), _CHECKED))),
    Change("space", "mapping and comment", _mapped(_with(comment="x"))),
    Change("space", "mapping by id", _with(table_properties={MAPPING_PROPERTY: "id"}), ("DS222",)),
    Change("comma", "mapping", _mapped(_first(comment="x"))),
    Change("element", "other changes", _mapped(_both(_add(_NEW), _first(comment="x", is_nullable=False), _CHECKED))),
    Change("element", "nullable", _last(spark.ArrayType(spark.IntegerType())), _NESTED),
    Change("element", "add another", _add(Column("b", _NOT_NULL)), _NESTED),
    Change("value", "other changes", _mapped(_both(_add(_NEW), _first(comment="x", is_nullable=False), _CHECKED))),
    Change("value", "nullable", _last(spark.MapType(spark.StringType(), spark.IntegerType())), _NESTED),
    Change("field", "what is no column", _both(_CHECKED, _with(comment="x", table_properties={"a": "b"}))),
    Change("field", "add column", _add(_NEW), _NESTED),
    Change("field", "comment of column", _first(comment="x"), _NESTED),
    Change("field", "default", _first(default=3), _NESTED),
    Change("field", "mapping", _mapped(_with()), _NESTED),
    Change("field", "nullable", _NULLABLE),
    Change("field", "nullable and comment", _both(_NULLABLE, _first(comment="x"))),
    Change("field", "nullable and new column", _both(_NULLABLE, _add(_NEW)), _NESTED),
)
"""What Delta 4.4.0 does with changes of these tables."""
