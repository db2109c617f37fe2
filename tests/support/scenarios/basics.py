"""The worked example, and every type, name and text that a table may have."""

from __future__ import annotations

from pyspark.sql import types as spark

from pytest_delta_schema import Column
from support.scenarios.parts import EVERY_TYPE, ID, MAPPED, NESTED, ODD_NAMES, ODD_TEXT, columns
from support.scenarios.scenario import Scenario
from support.tables import column, orders

BASICS = (
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
        before=columns(column("id"), Column("created_ts", spark.TimestampType())),
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
        after=columns(*EVERY_TYPE),
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
        before=columns(ID),
        after=columns(ID, *[each for each in EVERY_TYPE if each.name not in ("c_nested", "c_void")]),
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
        before=columns(ID, Column("first", spark.TimestampNTZType())),
        after=columns(
            ID, Column("first", spark.TimestampNTZType()), Column("next", spark.ArrayType(spark.TimestampNTZType()))
        ),
        plan=("+ columns.next: (absent) -> array<timestamp_ntz>",),
    ),
    Scenario(
        name="odd names, created",
        before=None,
        after=columns(*[column(name) for name in ODD_NAMES], table_properties=MAPPED),
        plan=(
            "+ schema dev.silver: (absent) -> created",
            "+ table: (absent) -> created with 12 columns",
            *(f"+ columns.{name}: (absent) -> bigint" for name in ODD_NAMES),
            "+ properties.delta.columnMapping.mode: (absent) -> 'name'",
        ),
    ),
    Scenario(
        name="odd names, added, commented, tightened",
        before=columns(*[column(name) for name in ODD_NAMES[:3]], table_properties=MAPPED),
        after=columns(
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
        after=columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT}),
        plan=(
            "+ schema dev.silver: (absent) -> created",
            "+ table: (absent) -> created with 1 column",
            "+ columns.id: (absent) -> bigint",
            f"+ comment: (absent) -> {ODD_TEXT!r}",
            f"+ properties.{ODD_TEXT}: (absent) -> {ODD_TEXT!r}",
        ),
    ),
    Scenario(
        name="odd comments and properties, set",
        before=columns(column()),
        after=columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT}),
        plan=(
            f"~ columns.id.comment: '' -> {ODD_TEXT!r}",
            f"~ comment: '' -> {ODD_TEXT!r}",
            f"+ properties.{ODD_TEXT}: (absent) -> {ODD_TEXT!r}",
        ),
    ),
    Scenario(
        name="odd property, unset",
        before=columns(column(), table_properties={ODD_TEXT: "x", "plain": "y"}),
        after=columns(column(), table_properties={ODD_TEXT: None}),
        plan=(f"- properties.{ODD_TEXT}: 'x' -> (absent)",),
    ),
    Scenario(
        name="type changed",
        before=columns(ID, Column("b", NESTED)),
        after=columns(ID, Column("b", spark.StringType())),
        plan=(
            "~ columns.b: struct<lat: double not null, tags: array<string>, by_key: map<string, decimal(9,3)>> -> string",
        ),
        refused=("DS208",),
    ),
)
