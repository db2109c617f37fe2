"""Columns and fields that are added, widened and dropped."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    ShortType,
    TimestampNTZType,
    VarcharType,
)

from pytest_delta_schema import Check, Column
from pytest_delta_schema.testing.parts import (
    ADDRESS,
    HOME,
    ID,
    INT,
    LONG,
    MAPPED,
    TEXT,
    WIDENS,
    column,
    columns,
    field,
    struct,
)
from pytest_delta_schema.testing.scenario import Scenario

TYPES: tuple[Scenario, ...] = (
    Scenario(
        name="evolution/comments_of_fields",
        before=columns(
            ID,
            Column("a", struct(field("x", comment="Old"), field("y"))),
            Column("l", ArrayType(struct(field("z")))),
        ),
        after=columns(
            ID,
            Column("a", struct(field("x"), field("y", comment="New"))),
            Column("l", ArrayType(struct(field("z", comment="it's"))), comment="List"),
        ),
        rows=({"id": 1, "a": {"x": 1, "y": 2}},),
        plan="""
~ columns.l.comment: '' -> 'List'
~ columns.a.x.comment: 'Old' -> ''
~ columns.a.y.comment: '' -> 'New'
~ columns.l.element.z.comment: '' -> "it's"
""",
        sql=r"""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `l` COMMENT 'List',
  `a`.`x` COMMENT '',
  `a`.`y` COMMENT 'New';

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `l`.`element`.`z` COMMENT 'it\'s';
""",
        commits=2,
        rows_after=({"id": 1, "a": {"x": 1, "y": 2}, "l": None},),
    ),
    Scenario(
        name="evolution/every_type_widened",
        before=columns(
            ID,
            column("i", INT),
            Column("a", ADDRESS),
            Column("l", ArrayType(struct(field("p", DecimalType(5, 2))))),
            Column("m", MapType(INT, INT)),
            column("v", VarcharType(3)),
            table_properties=WIDENS,
        ),
        after=columns(
            ID,
            column("i", DecimalType(12, 2)),
            Column("a", struct(field("city", TEXT), field("geo", struct(field("lat", DoubleType()))))),
            Column("l", ArrayType(struct(field("p", DecimalType(8, 3))))),
            Column("m", MapType(LONG, LONG)),
            column("v", VarcharType(5)),
            table_properties=WIDENS,
        ),
        rows=({"id": 1, "i": 7, "a": HOME, "l": [{"p": Decimal(1)}], "m": {1: 2}, "v": "abc"},),
        plan="""
~ columns.a.geo.lat: float -> double
~ columns.i: int -> decimal(12,2)
~ columns.l.element.p: decimal(5,2) -> decimal(8,3)
~ columns.m.key: int -> bigint
~ columns.m.value: int -> bigint
~ columns.v: varchar(3) -> varchar(5)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a`.`geo`.`lat` TYPE DOUBLE,
  `i` TYPE DECIMAL(12,2),
  `l`.`element`.`p` TYPE DECIMAL(8,3),
  `m`.`key` TYPE BIGINT,
  `m`.`value` TYPE BIGINT,
  `v` TYPE VARCHAR(5);
""",
        commits=1,
        rows_after=({"id": 1, "i": 7, "a": HOME, "l": [{"p": 1}], "m": {1: 2}, "v": "abc"},),
    ),
    Scenario(
        name="evolution/field_dropped_without_consent",
        before=columns(ID, Column("s", struct(field("x"), field("legacy"))), table_properties=MAPPED),
        after=columns(ID, Column("s", struct(field("x"))), table_properties=MAPPED),
        rows=({"id": 1, "s": {"x": 1, "legacy": 2}},),
        plan="""
- columns.s.legacy: bigint -> (not in the model)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`s`.`legacy`);
""",
        refused_by=("DS206",),
        commits=0,
    ),
    Scenario(
        name="evolution/fields_added_at_every_depth",
        before=columns(
            ID,
            Column("a", ADDRESS),
            Column("l", ArrayType(struct(field("p", INT)))),
            Column("m", MapType(TEXT, struct(field("u", INT)))),
        ),
        after=columns(
            ID,
            Column("a", struct(field("city", TEXT), field("geo", struct(field("lat", FloatType()), field("lon"))))),
            Column("l", ArrayType(struct(field("p", INT), field("q", TEXT, comment="New")))),
            Column("m", MapType(TEXT, struct(field("u", INT), field("v", struct(field("x")))))),
        ),
        rows=({"id": 1, "a": HOME, "l": [{"p": 1}, None], "m": {"k": {"u": 2}}}, {"id": 2, "a": None}),
        plan="""
+ columns.a.geo.lon: (absent) -> bigint
+ columns.l.element.q: (absent) -> string
+ columns.m.value.v: (absent) -> struct<x: bigint>
~ columns.l.element.q.comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `a`.`geo`.`lon` BIGINT,
  `l`.`element`.`q` STRING,
  `m`.`value`.`v` STRUCT<`x`: BIGINT>
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `l`.`element`.`q` COMMENT 'New';
""",
        commits=2,
        rows_after=(
            {
                "id": 1,
                "a": {"city": "Bonn", "geo": {"lat": 1.5, "lon": None}},
                "l": [{"p": 1, "q": None}, None],
                "m": {"k": {"u": 2, "v": None}},
            },
            {"id": 2, "a": None, "l": None, "m": None},
        ),
    ),
    Scenario(
        name="evolution/fields_dropped_after_column_mapping_is_enabled",
        before=columns(ID, Column("l", ArrayType(struct(field("p"), field("legacy"))))),
        after=columns(ID, Column("l", ArrayType(struct(field("p")))), table_properties=MAPPED),
        rows=({"id": 1, "l": [{"p": 1, "legacy": 2}]},),
        consents=("drop-column dev.silver.orders.l.element.legacy",),
        requires_unset=("delta.columnMapping.mode",),
        plan="""
+ properties.delta.columnMapping.mode: (absent) -> 'name'
- columns.l.element.legacy: bigint -> (not in the model)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name'
);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`l`.`element`.`legacy`);
""",
        commits=2,
        rows_after=({"id": 1, "l": [{"p": 1}]},),
    ),
    Scenario(
        name="evolution/small_integers_widened",
        description="All that Delta 3.3 widens.",
        before=columns(ID, column("a", ByteType()), column("b", ShortType()), table_properties=WIDENS),
        after=columns(ID, column("a", ShortType()), column("b", INT), table_properties=WIDENS),
        rows=({"id": 1, "a": 2, "b": 3},),
        plan="""
~ columns.a: tinyint -> smallint
~ columns.b: smallint -> int
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` TYPE SMALLINT,
  `b` TYPE INT;
""",
        commits=1,
        rows_after=({"id": 1, "a": 2, "b": 3},),
    ),
    Scenario(
        name="evolution/type_narrowed",
        before=columns(ID, Column("s", struct(field("x"))), table_properties=WIDENS),
        after=columns(ID, Column("s", struct(field("x", INT))), comment="New"),
        rows=({"id": 1, "s": {"x": 2}},),
        plan="""
~ columns.s.x: bigint -> int
~ comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`x` TYPE INT;

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New';
""",
        refused_by=("DS208",),
        commits=0,
    ),
    Scenario(
        name="evolution/type_widened_after_the_feature_is_enabled",
        before=columns(ID, column("d", DateType())),
        after=columns(ID, column("d", TimestampNTZType()), table_properties=WIDENS),
        plan="""
+ properties.delta.enableTypeWidening: (absent) -> 'true'
+ properties.delta.feature.timestampNtz: (absent) -> 'supported'
~ columns.d: date -> timestamp_ntz
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.enableTypeWidening' = 'true',
  'delta.feature.timestampNtz' = 'supported'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `d` TYPE TIMESTAMP_NTZ;
""",
        commits=2,
    ),
    Scenario(
        name="evolution/type_widened_under_checks",
        before=columns(ID, column("b", INT), Column("s", struct(field("x", INT))), checks=[Check("b", "b > s.x")]),
        after=columns(
            ID, column("b"), Column("s", struct(field("x"))), checks=[Check("b", "b > s.x")], table_properties=WIDENS
        ),
        rows=({"id": 1, "b": 3, "s": {"x": 2}},),
        plan="""
+ properties.delta.enableTypeWidening: (absent) -> 'true'
- checks.b: b > s.x -> (dropped and added again)
~ columns.b: int -> bigint
~ columns.s.x: int -> bigint
+ checks.b: (absent) -> b > s.x
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.enableTypeWidening' = 'true'
);

ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `b`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` TYPE BIGINT,
  `s`.`x` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `b` CHECK (b > s.x);
""",
        commits=4,
        rows_after=({"id": 1, "b": 3, "s": {"x": 2}},),
    ),
    Scenario(
        name="evolution/type_widened_without_the_feature",
        before=columns(ID, column("b", INT)),
        after=columns(ID, column("b")),
        rows=({"id": 1, "b": 2},),
        plan="""
~ columns.b: int -> bigint
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` TYPE BIGINT;
""",
        refused_by=("DS208",),
        commits=0,
    ),
)
