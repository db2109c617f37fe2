"""The scenarios that every backend runs: what is there, what is wanted, the plan between, and how it ends.

Each is told from the outside: a table as an earlier model left it, rows in it, and the model of today. The plan is
written out line by line; after it the backend holds what the model wants, or, if the plan is refused, what was there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, Table
from support.tables import column, orders, table

MAPPED = {"delta.columnMapping.mode": "name"}
DROP = "drop-column dev.silver.orders.legacy"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One case.

    Args:
        name: What is special about it.
        before: The model that made the table; ``None`` if there is no table.
        after: The model of today.
        plan: The expected change lines, in order.
        rows: Rows in the table.
        consents: What may be dropped.
        refused: Codes of the violations that stop it; empty if it goes through.
    """

    name: str
    before: Table | None
    after: Table
    plan: tuple[str, ...]
    rows: tuple[dict[str, Any], ...] = ()
    consents: tuple[str, ...] = ()
    refused: tuple[str, ...] = field(default=())


def _columns(*columns: Column, **options: Any) -> Table:
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

SCENARIOS = (
    Scenario(
        name="worked example, created",
        before=None,
        after=orders(),
        plan=(
            "+ schema dev.silver: (absent) -> created",
            "+ table: (absent) -> created with 3 columns",
            "+ columns.id: (absent) -> bigint not null",
            "+ columns.created_ts: (absent) -> timestamp",
            "+ columns.amount: (absent) -> decimal(18,2)",
            "+ primary_key: (absent) -> pk_dev_silver_orders__id (id)",
            "+ comment: (absent) -> 'Orders table'",
            "+ properties.delta.autoOptimize.optimizeWrite: (absent) -> 'true'",
        ),
    ),
    Scenario(
        name="worked example, aligned",
        before=_columns(column("id"), Column("created_ts", spark.TimestampType())),
        after=orders(),
        rows=({"id": 1}, {"id": 2}),
        plan=(
            "+ columns.amount: (absent) -> decimal(18,2)",
            "~ columns.id: nullable -> not null",
            "+ primary_key: (absent) -> pk_dev_silver_orders__id (id)",
            "~ columns.amount.comment: '' -> 'Order total'",
            "~ columns.created_ts.comment: '' -> 'Creation time'",
            "~ columns.id.comment: '' -> 'Order ID'",
            "~ comment: '' -> 'Orders table'",
            "+ properties.delta.autoOptimize.optimizeWrite: (absent) -> 'true'",
        ),
    ),
    Scenario(name="nothing to do", before=orders(), after=orders(), plan=()),
    Scenario(
        name="every type, created",
        before=None,
        after=_columns(*EVERY_TYPE),
        plan=(
            "+ schema dev.silver: (absent) -> created",
            "+ table: (absent) -> created with 20 columns",
            "+ columns.c_binary: (absent) -> binary",
            "+ columns.c_boolean: (absent) -> boolean",
            "+ columns.c_byte: (absent) -> tinyint",
            "+ columns.c_char: (absent) -> char(3)",
            "+ columns.c_date: (absent) -> date",
            "+ columns.c_decimal: (absent) -> decimal(38,18)",
            "+ columns.c_double: (absent) -> double",
            "+ columns.c_float: (absent) -> float",
            "+ columns.c_int: (absent) -> int",
            "+ columns.c_long: (absent) -> bigint",
            "+ columns.c_short: (absent) -> smallint",
            "+ columns.c_string: (absent) -> string",
            "+ columns.c_timestamp: (absent) -> timestamp",
            "+ columns.c_timestamp_ntz: (absent) -> timestamp_ntz",
            "+ columns.c_varchar: (absent) -> varchar(10)",
            "+ columns.c_variant: (absent) -> variant",
            "+ columns.c_void: (absent) -> void",
            (
                "+ columns.c_nested: (absent) -> struct<lat: double not null, tags: array<string>,"
                " by_key: map<string, decimal(9,3)>>"
            ),
            "+ columns.c_list_of_varchar: (absent) -> array<varchar(5)>",
            "+ columns.c_map_of_struct: (absent) -> map<string, struct<x: char(2)>>",
        ),
    ),
    Scenario(
        name="every type, added",
        before=_columns(ID),
        after=_columns(ID, *[each for each in EVERY_TYPE if each.name not in ("c_nested", "c_void")]),
        rows=({"id": 1},),
        plan=(
            "+ properties.delta.feature.timestampNtz: (absent) -> 'supported'",
            "+ columns.c_binary: (absent) -> binary",
            "+ columns.c_boolean: (absent) -> boolean",
            "+ columns.c_byte: (absent) -> tinyint",
            "+ columns.c_char: (absent) -> char(3)",
            "+ columns.c_date: (absent) -> date",
            "+ columns.c_decimal: (absent) -> decimal(38,18)",
            "+ columns.c_double: (absent) -> double",
            "+ columns.c_float: (absent) -> float",
            "+ columns.c_int: (absent) -> int",
            "+ columns.c_long: (absent) -> bigint",
            "+ columns.c_short: (absent) -> smallint",
            "+ columns.c_string: (absent) -> string",
            "+ columns.c_timestamp: (absent) -> timestamp",
            "+ columns.c_timestamp_ntz: (absent) -> timestamp_ntz",
            "+ columns.c_varchar: (absent) -> varchar(10)",
            "+ columns.c_variant: (absent) -> variant",
            "+ columns.c_list_of_varchar: (absent) -> array<varchar(5)>",
            "+ columns.c_map_of_struct: (absent) -> map<string, struct<x: char(2)>>",
        ),
    ),
    Scenario(
        name="a type that needs a feature, once more",
        before=_columns(ID, Column("first", spark.TimestampNTZType())),
        after=_columns(
            ID, Column("first", spark.TimestampNTZType()), Column("next", spark.ArrayType(spark.TimestampNTZType()))
        ),
        plan=("+ columns.next: (absent) -> array<timestamp_ntz>",),
    ),
    Scenario(
        name="odd names, created",
        before=None,
        after=_columns(*[column(name) for name in ODD_NAMES], table_properties=MAPPED),
        plan=(
            "+ schema dev.silver: (absent) -> created",
            "+ table: (absent) -> created with 12 columns",
            *(f"+ columns.{name}: (absent) -> bigint" for name in ODD_NAMES),
            "+ properties.delta.columnMapping.mode: (absent) -> 'name'",
        ),
    ),
    Scenario(
        name="odd names, added, commented, tightened",
        before=_columns(*[column(name) for name in ODD_NAMES[:3]], table_properties=MAPPED),
        after=_columns(
            *[column(name, is_nullable=False, comment="c") for name in ODD_NAMES[:3]],
            *[column(name) for name in ODD_NAMES[3:5]],
            table_properties=MAPPED,
        ),
        plan=(
            "+ columns.${x}: (absent) -> bigint",
            "+ columns.emoji 😀: (absent) -> bigint",
            "~ columns.back`tick: nullable -> not null",
            '~ columns.double"quote: nullable -> not null',
            "~ columns.quote'quote: nullable -> not null",
            "~ columns.back`tick.comment: '' -> 'c'",
            "~ columns.double\"quote.comment: '' -> 'c'",
            "~ columns.quote'quote.comment: '' -> 'c'",
        ),
    ),
    Scenario(
        name="odd comments and properties, created",
        before=None,
        after=_columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT}),
        plan=(
            "+ schema dev.silver: (absent) -> created",
            "+ table: (absent) -> created with 1 columns",
            "+ columns.id: (absent) -> bigint",
            f"+ comment: (absent) -> {ODD_TEXT!r}",
            f"+ properties.{ODD_TEXT}: (absent) -> {ODD_TEXT!r}",
        ),
    ),
    Scenario(
        name="odd comments and properties, set",
        before=_columns(column()),
        after=_columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT}),
        plan=(
            f"~ columns.id.comment: '' -> {ODD_TEXT!r}",
            f"~ comment: '' -> {ODD_TEXT!r}",
            f"+ properties.{ODD_TEXT}: (absent) -> {ODD_TEXT!r}",
        ),
    ),
    Scenario(
        name="odd property, unset",
        before=_columns(column(), table_properties={ODD_TEXT: "x", "plain": "y"}),
        after=_columns(column(), table_properties={ODD_TEXT: None}),
        plan=(f"- properties.{ODD_TEXT}: 'x' -> (absent)",),
    ),
    Scenario(
        name="comments cleared",
        before=_columns(column(comment="c"), comment="t"),
        after=_columns(column()),
        plan=("~ columns.id.comment: 'c' -> ''", "~ comment: 't' -> ''"),
    ),
    Scenario(
        name="comments cleared and created empty are one",
        before=_columns(column(comment="")),
        after=_columns(column(comment=None), comment=None),
        plan=(),
    ),
    Scenario(
        name="loosened",
        before=_columns(ID, column("b", is_nullable=False)),
        after=_columns(column(), column("b")),
        rows=({"id": 1, "b": 1},),
        plan=("~ columns.b: not null -> nullable", "~ columns.id: not null -> nullable"),
    ),
    Scenario(
        name="tightened on an empty table",
        before=_columns(column(), column("b")),
        after=_columns(ID, column("b", is_nullable=False)),
        plan=("~ columns.b: nullable -> not null", "~ columns.id: nullable -> not null"),
    ),
    Scenario(
        name="tightened and loosened at once",
        before=_columns(column(), column("b", is_nullable=False)),
        after=_columns(ID, column("b")),
        rows=({"id": 1, "b": 1},),
        plan=("~ columns.b: not null -> nullable", "~ columns.id: nullable -> not null"),
    ),
    Scenario(
        name="tightened over NULLs",
        before=_columns(column(), column("b")),
        after=_columns(ID, column("b", is_nullable=False), column("new"), comment="New"),
        rows=({"id": 1, "b": None}, {"id": None, "b": None}, {"id": 3, "b": 3}),
        plan=(
            "+ columns.new: (absent) -> bigint",
            "~ columns.b: nullable -> not null",
            "~ columns.id: nullable -> not null",
            "~ comment: '' -> 'New'",
        ),
        refused=("DS301", "DS301"),
    ),
    Scenario(
        name="key added over NOT NULL",
        before=_columns(ID),
        after=_columns(ID, primary_key=["id"]),
        plan=("+ primary_key: (absent) -> pk_dev_silver_orders__id (id)",),
    ),
    Scenario(
        name="key added over rows that share it, and everything else that rows break",
        before=_columns(ID, column("b"), column("c", is_nullable=False)),
        after=_columns(
            ID,
            column("b", is_nullable=False),
            column("c", is_nullable=False),
            primary_key=["id", "c"],
            checks=[Check("small", "c < 2")],
        ),
        rows=({"id": 1, "b": 1, "c": 1}, {"id": 1, "c": 1}, {"id": 1, "b": 1, "c": 1}, {"id": 1, "b": 1, "c": 2}),
        plan=(
            "~ columns.b: nullable -> not null",
            "+ checks.small: (absent) -> c < 2",
            "+ primary_key: (absent) -> pk_dev_silver_orders__id_c (id, c)",
        ),
        refused=("DS301", "DS302", "DS303"),
    ),
    Scenario(
        name="key added over rows that do not share it",
        before=_columns(ID, column("b", is_nullable=False)),
        after=_columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        rows=({"id": 1, "b": 1}, {"id": 1, "b": 2}),
        plan=("+ primary_key: (absent) -> pk_dev_silver_orders__id_b (id, b)",),
    ),
    Scenario(
        name="key dropped",
        before=_columns(ID, primary_key=["id"]),
        after=_columns(ID),
        plan=("- primary_key: pk_dev_silver_orders__id (id) -> (absent)",),
    ),
    Scenario(
        name="key changed",
        before=_columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        after=_columns(ID, column("b", is_nullable=False), primary_key=["b", "id"]),
        plan=(
            "- primary_key: pk_dev_silver_orders__id_b (id, b) -> (absent)",
            "+ primary_key: (absent) -> pk_dev_silver_orders__b_id (b, id)",
        ),
    ),
    Scenario(
        name="key over an odd name",
        before=_columns(column("${x}`'", is_nullable=False), table_properties=MAPPED),
        after=_columns(column("${x}`'", is_nullable=False), table_properties=MAPPED, primary_key=["${X}`'"]),
        plan=("+ primary_key: (absent) -> pk_dev_silver_orders__${x}`' (${X}`')",),
    ),
    Scenario(
        name="case of a name differs",
        before=_columns(column("OrderId")),
        after=_columns(column("orderid", comment="c")),
        plan=("~ columns.OrderId.comment: '' -> 'c'",),
    ),
    Scenario(
        name="order of columns differs",
        before=_columns(column("a"), column("b")),
        after=_columns(column("b"), column("a")),
        plan=(),
    ),
    Scenario(
        name="properties set, changed and unset",
        before=_columns(column(), table_properties={"a": "1", "b": "1", "Case": "x", "kept": "1"}),
        after=_columns(column(), table_properties={"a": "2", "b": None, "case": "y", "c": True}),
        plan=(
            "~ properties.a: '1' -> '2'",
            "+ properties.c: (absent) -> 'true'",
            "+ properties.case: (absent) -> 'y'",
            "- properties.b: '1' -> (absent)",
        ),
    ),
    Scenario(
        name="delta's property in another spelling",
        before=_columns(column(), table_properties={"delta.appendOnly": "TRUE"}),
        after=_columns(column(), table_properties={"DELTA.APPENDONLY": True}),
        plan=(),
    ),
    Scenario(
        name="delta's property changed and another unset",
        before=_columns(
            column(),
            table_properties={"delta.appendOnly": "true", "delta.logRetentionDuration": "interval 7 days"},
        ),
        after=_columns(column(), table_properties={"delta.appendonly": "false", "delta.LOGRETENTIONDURATION": None}),
        plan=(
            "~ properties.delta.appendOnly: 'true' -> 'false'",
            "- properties.delta.logRetentionDuration: 'interval 7 days' -> (absent)",
        ),
    ),
    Scenario(
        name="dropped with consent",
        before=_columns(ID, column("legacy"), table_properties=MAPPED),
        after=_columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        plan=("- columns.legacy: bigint -> (not in the model)",),
    ),
    Scenario(
        name="dropped with consent, column mapping on the way",
        before=_columns(ID, column("legacy")),
        after=_columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        plan=(
            "+ properties.delta.columnMapping.mode: (absent) -> 'name'",
            "- columns.legacy: bigint -> (not in the model)",
        ),
    ),
    Scenario(
        name="drop without consent",
        before=_columns(ID, column("legacy"), table_properties=MAPPED),
        after=_columns(ID, comment="New"),
        rows=({"id": 1, "legacy": 5},),
        plan=("- columns.legacy: bigint -> (not in the model)", "~ comment: '' -> 'New'"),
        refused=("DS206",),
    ),
    Scenario(
        name="added NOT NULL",
        before=_columns(ID),
        after=_columns(ID, column("b", is_nullable=False)),
        plan=("+ columns.b: (absent) -> bigint not null",),
        refused=("DS201",),
    ),
    Scenario(
        name="created with checks",
        before=None,
        after=_columns(ID, column("b"), checks=[Check("Positive", "id > 0"), Check("small", "b < 10 -- of course")]),
        rows=(),
        plan=(
            "+ schema dev.silver: (absent) -> created",
            "+ table: (absent) -> created with 2 columns",
            "+ columns.id: (absent) -> bigint not null",
            "+ columns.b: (absent) -> bigint",
            "+ checks.Positive: (absent) -> id > 0",
            "+ checks.small: (absent) -> b < 10 -- of course",
        ),
    ),
    Scenario(
        name="checks in another spelling",
        before=_columns(ID, column("b"), checks=[Check("POSITIVE", "id > 0 and (b is null or b<10)")]),
        after=_columns(ID, column("b"), checks=[Check("positive", "`ID` > 0 AND (b IS NULL OR (B < 10))")]),
        plan=(),
    ),
    Scenario(
        name="checks in another form",
        before=_columns(ID, checks=[Check("range", "id between 1 and 9"), Check("flipped", "0 < id")]),
        after=_columns(ID, checks=[Check("range", "id >= 1 and id <= 9"), Check("flipped", "id > 0")]),
        plan=(),
    ),
    Scenario(
        name="check added to an empty table",
        before=_columns(ID),
        after=_columns(ID, checks=[Check("positive", "id > 0")]),
        plan=("+ checks.positive: (absent) -> id > 0",),
    ),
    Scenario(
        name="checks added over clean rows",
        before=_columns(ID, column("b")),
        after=_columns(ID, column("b"), checks=[Check("positive", "id > 0"), Check("small", "coalesce(b, 0) < 10")]),
        rows=({"id": 1, "b": None}, {"id": 2, "b": 9}),
        plan=("+ checks.positive: (absent) -> id > 0", "+ checks.small: (absent) -> coalesce(b, 0) < 10"),
    ),
    Scenario(
        name="checks added over rows that break them, and NOT NULL over NULL",
        before=_columns(column(), column("b")),
        after=_columns(ID, column("b"), checks=[Check("positive", "id > 0"), Check("small", "b < 10")]),
        rows=({"id": None, "b": 1}, {"id": 2, "b": None}, {"id": -3, "b": 10}),
        plan=(
            "~ columns.id: nullable -> not null",
            "+ checks.positive: (absent) -> id > 0",
            "+ checks.small: (absent) -> b < 10",
        ),
        refused=("DS301", "DS302", "DS302"),
    ),
    Scenario(
        name="check dropped",
        before=_columns(ID, checks=[Check("positive", "id > 0")]),
        after=_columns(ID),
        rows=({"id": 1},),
        plan=("- checks.positive: id > 0 -> (absent, which loosens the table)",),
    ),
    Scenario(
        name="check replaced",
        before=_columns(ID, checks=[Check("positive", "id > 0")]),
        after=_columns(ID, checks=[Check("positive", "id > 1")]),
        rows=({"id": 2},),
        plan=("~ checks.positive: id > 0 -> id > 1",),
    ),
    Scenario(
        name="check replaced over rows that break the new one",
        before=_columns(ID, checks=[Check("positive", "id > 0")]),
        after=_columns(ID, checks=[Check("positive", "id > 1")]),
        rows=({"id": 1},),
        plan=("~ checks.positive: id > 0 -> id > 1",),
        refused=("DS302",),
    ),
    Scenario(
        name="check renamed",
        before=_columns(ID, checks=[Check("positive", "id > 0")]),
        after=_columns(ID, checks=[Check("above_zero", "ID > 0")]),
        rows=({"id": 1},),
        plan=("~ checks.positive: positive -> above_zero (renamed)",),
    ),
    Scenario(
        name="check over a new column of an empty table",
        before=_columns(ID),
        after=_columns(ID, column("b"), checks=[Check("small", "b < 10")]),
        plan=("+ columns.b: (absent) -> bigint", "+ checks.small: (absent) -> b < 10"),
    ),
    Scenario(
        name="check over a new column, whose NULLs break it",
        before=_columns(ID),
        after=_columns(ID, column("b"), checks=[Check("small", "b < 10")]),
        rows=({"id": 1}, {"id": 2}),
        plan=("+ columns.b: (absent) -> bigint", "+ checks.small: (absent) -> b < 10"),
        refused=("DS302",),
    ),
    Scenario(
        name="check over a new column that takes NULLs",
        before=_columns(ID),
        after=_columns(ID, column("b"), checks=[Check("small", "b is null or b < 10")]),
        rows=({"id": 1}, {"id": 2}),
        plan=("+ columns.b: (absent) -> bigint", "+ checks.small: (absent) -> b is null or b < 10"),
    ),
    Scenario(
        name="check over a column that goes",
        before=_columns(ID, column("legacy"), table_properties=MAPPED, checks=[Check("old", "legacy > 0")]),
        after=_columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        plan=(
            "- checks.old: legacy > 0 -> (absent, which loosens the table)",
            "- columns.legacy: bigint -> (not in the model)",
        ),
    ),
    Scenario(
        name="checks with odd names and text",
        before=_columns(ID, Column("name", spark.StringType())),
        after=_columns(
            ID,
            Column("name", spark.StringType()),
            checks=[
                Check("it's `odd`", "name <> 'a\\'b;--' OR id = 1"),
                Check("spaced name.dotted", "name LIKE '%😀%' OR id > 0"),
            ],
        ),
        rows=({"id": 1, "name": "x"},),
        plan=(
            "+ checks.it's `odd`: (absent) -> name <> 'a\\'b;--' OR id = 1",
            "+ checks.spaced name.dotted: (absent) -> name LIKE '%😀%' OR id > 0",
        ),
    ),
    Scenario(
        name="type changed",
        before=_columns(ID, Column("b", NESTED)),
        after=_columns(ID, Column("b", spark.StringType())),
        plan=(
            "~ columns.b: struct<lat: double not null, tags: array<string>, by_key: map<string, decimal(9,3)>> -> string",
        ),
        refused=("DS208",),
    ),
    Scenario(
        name="key over a new column",
        before=_columns(ID),
        after=_columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        plan=(
            "+ columns.b: (absent) -> bigint not null",
            "+ primary_key: (absent) -> pk_dev_silver_orders__id_b (id, b)",
        ),
        refused=("DS201",),
    ),
)
