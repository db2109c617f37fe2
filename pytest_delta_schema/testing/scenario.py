"""A scenario: a table, a changed model, and what has to be true after the apply."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclasses_field
from typing import TYPE_CHECKING, Any

from pyspark.sql import types
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
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
        counts_commits: Whether every backend makes one commit for each statement.
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
    counts_commits: bool = True
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


def column(name: str = "id", data_type: DataType | str | None = None, **options: Any) -> Column:
    """Declare a column, a ``bigint`` unless a type is given."""
    return Column(name, data_type or LONG, **options)


def orders() -> Table:
    """Declare the table of the worked example."""
    return table(
        column("id", is_nullable=False, comment="Order ID"),
        column("created_ts", "timestamp", comment="Creation time"),
        column("amount", "decimal(18,2)", comment="Order total"),
        comment="Orders table",
        table_properties={"delta.autoOptimize.optimizeWrite": "true"},
        primary_key=["id"],
    )


def columns(*columns: Column | str, **options: Any) -> Table:
    """Declare `dev.silver.orders`, the table of most scenarios.

    Args:
        columns: Columns; as text a name, a type unless it is ``bigint``, and ``not null``: ``"n int not null"``.
        options: Other arguments of the model.
    """
    return table(*(_column(given) if isinstance(given, str) else given for given in columns), **options)


def mapped(*given: Column | str, **options: Any) -> Table:
    """Declare it with column mapping by name."""
    return columns(*given, table_properties=MAPPED, **options)


def widening(*given: Column | str, **options: Any) -> Table:
    """Declare it with type widening."""
    return columns(*given, table_properties=WIDENS, **options)


def evolving(*given: Column | str, **options: Any) -> Table:
    """Declare it with column mapping by name and type widening."""
    return columns(*given, table_properties=BOTH, **options)


def _column(text: str) -> Column:
    declared = text.removesuffix(" not null")
    name, _, data_type = declared.partition(" ")
    return Column(name, data_type or LONG, is_nullable=declared == text)


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


def _place(*, strict: bool) -> StructType:
    geo = struct(field("lat", DoubleType(), nullable=not strict), field("lon", DoubleType()))
    return struct(field("name", TEXT, nullable=not strict), field("geo", geo))


ID = column("id", is_nullable=False)
ADDRESS = struct(field("city", TEXT), field("geo", struct(field("lat", FloatType()))))
HOME = {"city": "Bonn", "geo": {"lat": 1.5}}
PLACE = _place(strict=False)
PLACE_STRICT = _place(strict=True)
NESTED = struct(
    field("lat", DoubleType(), nullable=False, comment="Degrees"),
    field("tags", ArrayType(TEXT)),
    field("by_key", MapType(TEXT, DecimalType(9, 3))),
)
EVERY_TYPE = [
    column("c_binary", "binary"),
    column("c_boolean", "boolean"),
    column("c_byte", "tinyint"),
    column("c_char", "char(3)"),
    column("c_date", "date"),
    column("c_decimal", "decimal(38,18)"),
    column("c_double", "double"),
    column("c_float", "float"),
    column("c_int", "int"),
    column("c_long", "bigint"),
    column("c_short", "smallint"),
    column("c_string", "string"),
    column("c_timestamp", "timestamp"),
    column("c_timestamp_ntz", "timestamp_ntz"),
    column("c_varchar", "varchar(10)"),
    column("c_void", "void"),
    column("c_nested", NESTED),
    column("c_list_of_varchar", "array<varchar(5)>"),
    column("c_map_of_struct", "map<string, struct<x: char(2)>>"),
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


def parent(*key: str) -> Table:
    """Declare `dev.silver.parents`, a table that foreign keys reference."""
    region = column("region", "string", is_nullable=False)
    return table(ID, region, name="dev.silver.parents", primary_key=key or ["id"])


def pointing_at_orders() -> Table:
    """Declare `dev.silver.lines`, a table whose foreign key references `dev.silver.orders`."""
    return table(column(), name="dev.silver.lines", foreign_keys=[ForeignKey(["id"], "dev.silver.orders", ["id"])])


TO_PARENT = ForeignKey(["parent"], parent())


def child(*keys: ForeignKey, **options: Any) -> Table:
    """Declare `dev.silver.orders` with foreign keys."""
    return columns(ID, "parent", "region string", foreign_keys=keys, **options)
