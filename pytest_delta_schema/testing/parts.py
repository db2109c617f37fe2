"""What scenarios are made of: their files import everything from here."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Identity, Parquet, PropertyPolicy, Table

__all__ = [
    "ADDRESS",
    "BOTH",
    "DROP",
    "EVERY_TYPE",
    "HOME",
    "ID",
    "INT",
    "LONG",
    "MAPPED",
    "NESTED",
    "ODD_NAMES",
    "ODD_TEXT",
    "PLACE",
    "PLACE_STRICT",
    "REWRITE",
    "TEXT",
    "TO_PARENT",
    "WIDENS",
    "Check",
    "Column",
    "Decimal",
    "ForeignKey",
    "Identity",
    "Parquet",
    "PropertyPolicy",
    "Table",
    "child",
    "column",
    "columns",
    "field",
    "orders",
    "parent",
    "pointing_at_orders",
    "spark",
    "struct",
    "table",
]

TEXT = spark.StringType()
MAPPED = {"delta.columnMapping.mode": "name"}
WIDENS = {"delta.enableTypeWidening": "true"}
BOTH = {**MAPPED, **WIDENS}
INT, LONG = spark.IntegerType(), spark.LongType()
DROP = "drop-column dev.silver.orders.legacy"
REWRITE = "rewrite dev.silver.orders"


def table(*columns: Column, name: str = "dev.silver.orders", **options: Any) -> Table:
    """Declare a table by its dotted name."""
    catalog, schema, own = name.split(".")
    return Table(catalog, schema, own, list(columns), **options)


def column(name: str = "id", data_type: spark.DataType | None = None, **options: Any) -> Column:
    """Declare a column, a long unless said otherwise."""
    return Column(name, data_type or LONG, **options)


def orders() -> Table:
    """Declare the worked example."""
    return table(
        Column("id", LONG, is_nullable=False, comment="Order ID"),
        Column("created_ts", spark.TimestampType(), comment="Creation time"),
        Column("amount", spark.DecimalType(18, 2), comment="Order total"),
        comment="Orders table",
        table_properties={"delta.autoOptimize.optimizeWrite": "true"},
        primary_key=["id"],
    )


def columns(*columns: Column, **options: Any) -> Table:
    """Declare the table that most scenarios are about."""
    return table(*columns, **options)


ID = column("id", is_nullable=False)
NESTED = spark.StructType(
    [
        spark.StructField("lat", spark.DoubleType(), nullable=False, metadata={"comment": "Degrees"}),
        spark.StructField("tags", spark.ArrayType(spark.StringType())),
        spark.StructField("by_key", spark.MapType(spark.StringType(), spark.DecimalType(9, 3))),
    ]
)
EVERY_TYPE = [
    Column("c_binary", spark.BinaryType()),
    Column("c_boolean", spark.BooleanType()),
    Column("c_byte", spark.ByteType()),
    Column("c_char", spark.CharType(3)),
    Column("c_date", spark.DateType()),
    Column("c_decimal", spark.DecimalType(38, 18)),
    Column("c_double", spark.DoubleType()),
    Column("c_float", spark.FloatType()),
    Column("c_int", spark.IntegerType()),
    Column("c_long", spark.LongType()),
    Column("c_short", spark.ShortType()),
    Column("c_string", spark.StringType()),
    Column("c_timestamp", spark.TimestampType()),
    Column("c_timestamp_ntz", spark.TimestampNTZType()),
    Column("c_varchar", spark.VarcharType(10)),
    Column("c_variant", spark.VariantType()),
    Column("c_void", spark.NullType()),
    Column("c_nested", NESTED),
    Column("c_list_of_varchar", spark.ArrayType(spark.VarcharType(5))),
    Column(
        "c_map_of_struct",
        spark.MapType(spark.StringType(), spark.StructType([spark.StructField("x", spark.CharType(2))])),
    ),
]
ODD_TEXT = "quote ' double \" back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 \u4e2d"
ODD_NAMES = [
    "back`tick",
    "quote'quote",
    'double"quote',
    "${x}",
    "emoji 😀",
    "new\nline",
    "brack]et",
    "colon::colon",
    "a.b",
    "semi;colon",
    "percent%s",
    "\u4e2d",
]


def _place(*, strict: bool) -> spark.StructType:
    geo = spark.StructType(
        [
            spark.StructField("lat", spark.DoubleType(), nullable=not strict),
            spark.StructField("lon", spark.DoubleType()),
        ]
    )
    return spark.StructType(
        [spark.StructField("name", spark.StringType(), nullable=not strict), spark.StructField("geo", geo)]
    )


def field(
    name: str,
    kind: spark.DataType | None = None,
    *,
    nullable: bool = True,
    comment: str = "",
    renamed_from: str = "",
) -> spark.StructField:
    """Declare a field, a long unless said otherwise."""
    metadata = {"comment": comment, "renamed_from": renamed_from}
    said = {key: value for key, value in metadata.items() if value}
    return spark.StructField(name, kind or spark.LongType(), nullable, said)


def struct(*fields: spark.StructField) -> spark.StructType:
    """Declare a struct."""
    return spark.StructType(list(fields))


ADDRESS = struct(field("city", TEXT), field("geo", struct(field("lat", spark.FloatType()))))
HOME = {"city": "Bonn", "geo": {"lat": 1.5}}
PLACE = _place(strict=False)
PLACE_STRICT = _place(strict=True)


def parent(*key: str) -> Table:
    """Declare a table that others point at."""
    columns = [column(is_nullable=False), Column("region", TEXT, is_nullable=False)]
    return table(*columns, name="dev.silver.parents", primary_key=key or ["id"])


def pointing_at_orders() -> Table:
    """Declare a table that points at the one of most scenarios."""
    return table(column(), name="dev.silver.lines", foreign_keys=[ForeignKey(["id"], "dev.silver.orders", ["id"])])


TO_PARENT = ForeignKey(["parent"], parent())


def child(*keys: ForeignKey, **options: Any) -> Table:
    """Declare the table of most scenarios with foreign keys."""
    return columns(ID, column("parent"), Column("region", TEXT), foreign_keys=keys, **options)
