"""Types that widen, defaults, generated columns and identities."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    NullType,
    ShortType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
)

from pytest_delta_schema import Check, Column, Identity
from pytest_delta_schema.testing.scenario import (
    ADDRESS,
    BOTH,
    DROP,
    HOME,
    ID,
    INT,
    LONG,
    MAPPED,
    TEXT,
    WIDENS,
    Scenario,
    column,
    columns,
    field,
    struct,
)

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
        name="evolution/void_gets_its_type",
        description="No data file holds a void column, so any type but a collection needs no type widening.",
        before=columns(
            ID,
            Column("d", NullType()),
            Column("n", NullType()),
            Column("s", struct(field("x", NullType()), field("y"))),
            Column("v", NullType()),
        ),
        after=columns(
            ID,
            Column("d", DecimalType(10, 2)),
            Column("n", TimestampNTZType()),
            Column("s", struct(field("x", TEXT), field("y"))),
            Column("v", VarcharType(5)),
        ),
        rows=({"id": 1, "s": {"y": 2}},),
        plan="""
+ properties.delta.feature.timestampNtz: (absent) -> 'supported'
~ columns.d: void -> decimal(10,2)
~ columns.n: void -> timestamp_ntz
~ columns.s.x: void -> string
~ columns.v: void -> varchar(5)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.feature.timestampNtz' = 'supported'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `d` TYPE DECIMAL(10,2),
  `n` TYPE TIMESTAMP_NTZ,
  `s`.`x` TYPE STRING,
  `v` TYPE VARCHAR(5);
""",
        commits=2,
        rows_after=({"id": 1, "d": None, "n": None, "s": {"x": None, "y": 2}, "v": None},),
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


DEFAULTS: tuple[Scenario, ...] = (
    Scenario(
        name="defaults/created_with_defaults",
        description="Defaults of every kind, and their table feature, are part of the commit that creates the table.",
        before=None,
        after=columns(
            ID,
            column("n", INT, default=3),
            column("d", DecimalType(9, 2), default=Decimal("1.50")),
            column("b", BooleanType(), default=True),
            column("t", TEXT, is_nullable=False, comment="State", default=r"'it\'s ${x}'"),
            column("l", ArrayType(INT), default="array(1, 2)"),
        ),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 6 columns
+ columns.id: (absent) -> bigint not null
+ columns.n: (absent) -> int default 3
+ columns.d: (absent) -> decimal(9,2) default 1.50
+ columns.b: (absent) -> boolean default true
+ columns.t: (absent) -> string not null default 'it\\'s ${x}'
+ columns.l: (absent) -> array<int> default array(1, 2)
+ properties.delta.feature.allowColumnDefaults: (absent) -> 'supported'
""",
        sql=r"""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `n` INT DEFAULT 3,
  `d` DECIMAL(9,2) DEFAULT 1.50,
  `b` BOOLEAN DEFAULT true,
  `t` STRING NOT NULL DEFAULT 'it\'s ${x}' COMMENT 'State',
  `l` ARRAY<INT> DEFAULT array(1, 2)
)
USING DELTA
TBLPROPERTIES (
  'delta.feature.allowColumnDefaults' = 'supported'
);
""",
        commits=1,
    ),
    Scenario(
        name="defaults/default_added_to_an_existing_column",
        description="Rows keep their values.",
        before=columns(ID, column("n")),
        after=columns(ID, column("n", default=3)),
        rows=({"id": 1, "n": None}, {"id": 2, "n": 7}),
        plan="""
+ properties.delta.feature.allowColumnDefaults: (absent) -> 'supported'
+ columns.n.default: (absent) -> 3
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.feature.allowColumnDefaults' = 'supported'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 3;
""",
        commits=2,
        rows_after=({"id": 1, "n": None}, {"id": 2, "n": 7}),
    ),
    Scenario(
        name="defaults/default_of_a_renamed_and_of_a_dropped_column",
        description="A renamed column keeps its default.",
        before=columns(ID, column("a", default=1), column("legacy", default=2), table_properties=MAPPED),
        after=columns(ID, column("b", renamed_from="a", default=1), table_properties=MAPPED),
        rows=({"id": 1},),
        consents=(DROP,),
        plan="""
~ columns.a: a -> b (renamed)
- columns.legacy: bigint default 2 -> (not in the model)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `a` TO `b`;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
""",
        commits=2,
        rows_after=({"id": 1, "b": 1},),
    ),
    Scenario(
        name="defaults/default_that_needs_the_widened_type",
        before=columns(ID, column("n", INT, default=1), table_properties=WIDENS),
        after=columns(ID, column("n", default=3000000000), table_properties=WIDENS),
        rows=({"id": 1},),
        plan="""
~ columns.n: int -> bigint
~ columns.n.default: 1 -> 3000000000
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 3000000000;
""",
        commits=2,
        rows_after=({"id": 1, "n": 1},),
    ),
    Scenario(
        name="defaults/equivalent_defaults_are_equal",
        before=columns(ID, column("a", TEXT, default="UPPER( 'x' )"), column("b", default="(1)")),
        after=columns(ID, column("a", TEXT, default="upper('x') -- loud"), column("b", default=1)),
        rows=({"id": 1},),
        plan="",
        sql="",
        commits=0,
        rows_after=({"id": 1, "a": "X", "b": 1},),
    ),
    Scenario(
        name="defaults/default_and_check_on_it_added",
        before=columns(ID, column("n"), table_properties={"delta.feature.allowColumnDefaults": "supported"}),
        after=columns(ID, column("n", default=1), checks=[Check("positive", "n IS NULL OR n > 0")]),
        rows=({"id": 1, "n": None}, {"id": 2, "n": 7}),
        plan="""
+ columns.n.default: (absent) -> 1
+ checks.positive: (absent) -> n IS NULL OR n > 0
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 1;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (n IS NULL OR n > 0);
""",
        commits=2,
        rows_after=({"id": 1, "n": None}, {"id": 2, "n": 7}),
    ),
    Scenario(
        name="defaults/defaults_changed_and_dropped",
        description="Both are one statement.",
        before=columns(ID, column("a", default=1), column("b", TEXT, default="'x'"), column("c", default=5)),
        after=columns(ID, column("a", default=2), column("b", TEXT), column("c", default=5)),
        rows=({"id": 1}, {"id": 2, "a": 9, "b": None}),
        plan="""
~ columns.a.default: 1 -> 2
- columns.b.default: 'x' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` SET DEFAULT 2,
  `b` DROP DEFAULT;
""",
        commits=1,
        rows_after=({"id": 1, "a": 1, "b": "x", "c": 5}, {"id": 2, "a": 9, "b": None, "c": 5}),
    ),
    Scenario(
        name="defaults/column_with_a_default_added",
        description="Delta adds a column without its default, so the default is set after it.",
        before=columns(ID),
        after=columns(ID, column("n", comment="Number", default="1 + 1")),
        rows=({"id": 1},),
        plan="""
+ properties.delta.feature.allowColumnDefaults: (absent) -> 'supported'
+ columns.n: (absent) -> bigint
+ columns.n.default: (absent) -> 1 + 1
~ columns.n.comment: '' -> 'Number'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.feature.allowColumnDefaults' = 'supported'
);

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `n` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 1 + 1;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'Number';
""",
        commits=4,
        rows_after=({"id": 1, "n": None},),
    ),
)


GENERATED_COLUMNS: tuple[Scenario, ...] = (
    Scenario(
        name="defaults/changes_beside_a_generated_column",
        description="Columns that no generation expression uses may change, and the generated column may be dropped.",
        before=columns(
            ID,
            column("a", INT),
            Column("s", struct(field("x", INT), field("y", INT))),
            column("g", INT, generated_as="s.x + a"),
            column("legacy", INT, generated_as="a"),
            table_properties=BOTH,
        ),
        after=columns(
            ID,
            column("a", INT, comment="Kept"),
            Column("s", struct(field("x", INT), field("y", LONG, comment="Wide"), field("z"))),
            column("g2", INT, generated_as="s.x + a", renamed_from="g"),
            table_properties=BOTH,
        ),
        rows=({"id": 1, "a": 2, "s": {"x": 4, "y": 5}},),
        consents=(DROP,),
        plan="""
~ columns.g: g -> g2 (renamed)
+ columns.s.z: (absent) -> bigint
~ columns.s.y: int -> bigint
- columns.legacy: int generated always as (a) -> (not in the model)
~ columns.a.comment: '' -> 'Kept'
~ columns.s.y.comment: '' -> 'Wide'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `g` TO `g2`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `s`.`z` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`y` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` COMMENT 'Kept',
  `s`.`y` COMMENT 'Wide';
""",
        commits=5,
        rows_after=({"id": 1, "a": 2, "s": {"x": 4, "y": 5, "z": None}, "g2": 6},),
    ),
    Scenario(
        name="defaults/created_with_generated_and_identity_columns",
        before=None,
        after=columns(
            column(identity=Identity(start=10, step=5)),
            column("seq", comment="Counted", identity=Identity(always=False)),
            column("ts", TimestampType()),
            column("day", DateType(), generated_as="CAST(ts AS DATE)"),
            Column("s", struct(field("a", INT))),
            column("twice", INT, comment="Of a", generated_as="s.a * 2 -- doubled"),
        ),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 6 columns
+ columns.id: (absent) -> bigint generated always as identity (10 by 5)
+ columns.seq: (absent) -> bigint generated by default as identity (1 by 1)
+ columns.ts: (absent) -> timestamp
+ columns.day: (absent) -> date generated always as (CAST(ts AS DATE))
+ columns.s: (absent) -> struct<a: int>
+ columns.twice: (absent) -> int generated always as (s.a * 2 -- doubled)
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 5),
  `seq` BIGINT GENERATED BY DEFAULT AS IDENTITY (START WITH 1 INCREMENT BY 1) COMMENT 'Counted',
  `ts` TIMESTAMP,
  `day` DATE GENERATED ALWAYS AS (CAST(ts AS DATE)),
  `s` STRUCT<`a`: INT>,
  `twice` INT GENERATED ALWAYS AS (s.a * 2 -- doubled
) COMMENT 'Of a'
)
USING DELTA;
""",
        commits=1,
    ),
    Scenario(
        name="defaults/generated_column_added",
        description="Delta creates generated columns only together with the table.",
        before=columns(ID, column("ts", TimestampType())),
        after=columns(
            ID,
            column("ts", TimestampType()),
            column("day", DateType(), generated_as="CAST(ts AS DATE)"),
            column("seq", identity=True),
        ),
        rows=({"id": 1},),
        plan="""
+ columns.day: (absent) -> date generated always as (CAST(ts AS DATE))
+ columns.seq: (absent) -> bigint generated always as identity (1 by 1)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `day` DATE GENERATED ALWAYS AS (CAST(ts AS DATE)),
  `seq` BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1 INCREMENT BY 1)
);
""",
        refused_by=("DS214", "DS214"),
        commits=0,
    ),
    Scenario(
        name="defaults/sources_of_generated_columns_changed",
        description="Delta refuses to rename, retype or drop a column that a generation expression uses.",
        before=columns(
            ID,
            column("a", INT),
            column("legacy", INT),
            Column("s", struct(field("x", INT), field("y", INT))),
            column("g", INT, generated_as="a + legacy"),
            column("h", INT, generated_as="s.x"),
            table_properties=BOTH,
        ),
        after=columns(
            ID,
            column("a"),
            Column("s", struct(field("z", INT, renamed_from="x"), field("y"))),
            column("h", INT, generated_as="s.x"),
            table_properties=BOTH,
        ),
        rows=({"id": 1, "a": 2, "legacy": 3, "s": {"x": 4, "y": 5}},),
        consents=(DROP, "drop-column dev.silver.orders.g"),
        plan="""
~ columns.s.x: x -> z (renamed)
~ columns.a: int -> bigint
~ columns.s.y: int -> bigint
- columns.g: int generated always as (a + legacy) -> (not in the model)
- columns.legacy: int -> (not in the model)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `s`.`x` TO `z`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` TYPE BIGINT,
  `s`.`y` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`g`, `legacy`);
""",
        refused_by=("DS215", "DS215", "DS215"),
        commits=0,
    ),
    Scenario(
        name="defaults/generation_expression_changed",
        description="Delta cannot add, change or drop a generation expression. Another spelling is equal.",
        before=columns(
            column(identity=True),
            column("a", INT),
            column("b", INT, generated_as="a + 1"),
            column("c", INT, generated_as="a + 2"),
            column("d", INT, generated_as="a + 3"),
            column("e", INT),
        ),
        after=columns(
            column(identity=Identity(step=2)),
            column("a", INT),
            column("b", INT, generated_as="A+1"),
            column("c", INT, generated_as="a + 20"),
            column("d", INT),
            column("e", INT, generated_as="a"),
        ),
        rows=({"a": 1, "e": 1},),
        plan="""
~ columns.c: generated always as (a + 2) -> generated always as (a + 20)
~ columns.d: generated always as (a + 3) -> written by writers
~ columns.e: written by writers -> generated always as (a)
~ columns.id: generated always as identity (1 by 1) -> generated always as identity (1 by 2)
""",
        sql="",
        refused_by=("DS214", "DS214", "DS214", "DS214"),
        commits=0,
    ),
    Scenario(
        name="defaults/identity_column_changed",
        description="A comment, a rename and NOT NULL keep the numbers of the rows.",
        before=columns(column(identity=True), column("a", TEXT), table_properties=MAPPED),
        after=columns(
            column("number", is_nullable=False, comment="Counted", identity=True, renamed_from="id"),
            column("a", TEXT),
            table_properties=MAPPED,
        ),
        rows=({"a": "x"}, {"a": "y"}),
        plan="""
~ columns.id: id -> number (renamed)
~ columns.number: nullable -> not null
~ columns.number.comment: '' -> 'Counted'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `id` TO `number`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `number` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `number` COMMENT 'Counted';
""",
        commits=3,
        rows_after=({"number": 1, "a": "x"}, {"number": 2, "a": "y"}),
    ),
    Scenario(
        name="defaults/identity_column_made_nullable",
        description="Delta refuses to make an identity column nullable.",
        before=columns(column(is_nullable=False, identity=True), column("a")),
        after=columns(column(identity=True), column("a")),
        rows=({"a": 1},),
        plan="""
~ columns.id: not null -> nullable
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` DROP NOT NULL;
""",
        refused_by=("DS215",),
        commits=0,
    ),
)
