"""A scenario: a table, a changed model, and what has to be true after the apply."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclasses_field
from typing import TYPE_CHECKING, Any

from pyspark.sql import types
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
)

from pytest_delta_schema import Column, ForeignKey, Table
from pytest_delta_schema.plan import PropertyPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping


Rows = tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One case that every backend passes.

    Afterwards the backend holds what the model wants or, if the plan is refused, what it held before.

    Args:
        name: Topic and case, such as ``checks/check_dropped``.
        description: What the name leaves out.
        before: The model that created the table; ``None`` if there is no table.
        parquet: Columns and partitions of a parquet table that exists instead of a Delta table.
        after: The model that is applied.
        rows: Rows in the table before the apply.
        other_tables: Other existing tables with their rows, such as parents of foreign keys.
        external_properties: Properties that other tools have set on the table.
        property_policy: The property policy of the project.
        consents: Consents to drops and rewrites.
        requires_unset: Properties that the table must not have before the apply; the scenario is skipped where a
            catalog imposes one of them.
        refused_by: Codes of the violations that refuse the plan; empty if it is applied.
        commits: How many commits the table gets; ``None`` if that does not matter.
        rows_after: The expected rows by column; ``None`` if they are those of before.
    """

    name: str
    description: str = ""
    before: Table | None
    parquet: Table | None = None
    after: Table
    rows: Rows = ()
    other_tables: tuple[tuple[Table, Rows], ...] = ()
    external_properties: Mapping[str, str] = dataclasses_field(default_factory=dict)
    property_policy: PropertyPolicy = dataclasses_field(default_factory=PropertyPolicy)
    consents: tuple[str, ...] = ()
    requires_unset: tuple[str, ...] = ()
    refused_by: tuple[str, ...] = ()
    commits: int | None = None
    rows_after: Rows | None = None

    @property
    def is_refused_by_rules(self) -> bool:
        """Whether rules refuse the plan without a data check."""
        return bool(self.refused_by) and not any(code.startswith("DS3") for code in self.refused_by)


TEXT = StringType()
MAPPED = {"delta.columnMapping.mode": "name"}
WIDENS = {"delta.enableTypeWidening": "true"}
BOTH = {**MAPPED, **WIDENS}
INT, LONG = IntegerType(), LongType()
DROP = "drop-column dev.silver.orders.legacy"
REWRITE = "rewrite dev.silver.orders"


def table(*columns: Column, name: str = "dev.silver.orders", **options: Any) -> Table:
    """Declare a table by its dotted name."""
    catalog, schema, short_name = name.split(".")
    return Table(catalog, schema, short_name, list(columns), **options)


def column(name: str = "id", data_type: DataType | None = None, **options: Any) -> Column:
    """Declare a column, a ``bigint`` unless a type is given."""
    return Column(name, data_type or LONG, **options)


def orders() -> Table:
    """Declare the table of the worked example."""
    return table(
        Column("id", LONG, is_nullable=False, comment="Order ID"),
        Column("created_ts", TimestampType(), comment="Creation time"),
        Column("amount", DecimalType(18, 2), comment="Order total"),
        comment="Orders table",
        table_properties={"delta.autoOptimize.optimizeWrite": "true"},
        primary_key=["id"],
    )


def columns(*columns: Column, **options: Any) -> Table:
    """Declare `dev.silver.orders`, the table of most scenarios."""
    return table(*columns, **options)


ID = column("id", is_nullable=False)
NESTED = StructType(
    [
        StructField("lat", DoubleType(), nullable=False, metadata={"comment": "Degrees"}),
        StructField("tags", ArrayType(StringType())),
        StructField("by_key", MapType(StringType(), DecimalType(9, 3))),
    ]
)
EVERY_TYPE = [
    Column("c_binary", BinaryType()),
    Column("c_boolean", BooleanType()),
    Column("c_byte", ByteType()),
    Column("c_char", CharType(3)),
    Column("c_date", DateType()),
    Column("c_decimal", DecimalType(38, 18)),
    Column("c_double", DoubleType()),
    Column("c_float", FloatType()),
    Column("c_int", IntegerType()),
    Column("c_long", LongType()),
    Column("c_short", ShortType()),
    Column("c_string", StringType()),
    Column("c_timestamp", TimestampType()),
    Column("c_timestamp_ntz", TimestampNTZType()),
    Column("c_varchar", VarcharType(10)),
    Column("c_void", NullType()),
    Column("c_nested", NESTED),
    Column("c_list_of_varchar", ArrayType(VarcharType(5))),
    Column(
        "c_map_of_struct",
        MapType(StringType(), StructType([StructField("x", CharType(2))])),
    ),
]
VARIANTS = [Column("c_variant", types.VariantType())] if hasattr(types, "VariantType") else []
"""A column of a type that Spark 3.5 lacks."""

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


def _place(*, strict: bool) -> StructType:
    geo = StructType(
        [
            StructField("lat", DoubleType(), nullable=not strict),
            StructField("lon", DoubleType()),
        ]
    )
    return StructType([StructField("name", StringType(), nullable=not strict), StructField("geo", geo)])


def field(
    name: str,
    kind: DataType | None = None,
    *,
    nullable: bool = True,
    comment: str = "",
    renamed_from: str = "",
) -> StructField:
    """Declare a field, a ``bigint`` unless a type is given."""
    metadata = {"comment": comment, "renamed_from": renamed_from}
    given = {key: value for key, value in metadata.items() if value}
    return StructField(name, kind or LongType(), nullable, given)


def struct(*fields: StructField) -> StructType:
    """Declare a struct."""
    return StructType(list(fields))


ADDRESS = struct(field("city", TEXT), field("geo", struct(field("lat", FloatType()))))
HOME = {"city": "Bonn", "geo": {"lat": 1.5}}
PLACE = _place(strict=False)
PLACE_STRICT = _place(strict=True)


def parent(*key: str) -> Table:
    """Declare `dev.silver.parents`, a table that foreign keys reference."""
    declared = [column(is_nullable=False), Column("region", TEXT, is_nullable=False)]
    return table(*declared, name="dev.silver.parents", primary_key=key or ["id"])


def pointing_at_orders() -> Table:
    """Declare `dev.silver.lines`, a table whose foreign key references `dev.silver.orders`."""
    return table(column(), name="dev.silver.lines", foreign_keys=[ForeignKey(["id"], "dev.silver.orders", ["id"])])


TO_PARENT = ForeignKey(["parent"], parent())


def child(*keys: ForeignKey, **options: Any) -> Table:
    """Declare `dev.silver.orders` with foreign keys."""
    return columns(ID, column("parent"), Column("region", TEXT), foreign_keys=keys, **options)
