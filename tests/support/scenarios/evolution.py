"""Evolution: fields, elements, keys and values come, go, widen and get other names, and rows live through it."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey
from support.scenarios.parts import ID, MAPPED, columns, field, parent, struct
from support.scenarios.scenario import Scenario
from support.tables import TEXT, column

INT, LONG = spark.IntegerType(), spark.LongType()
WIDENS = {"delta.enableTypeWidening": "true"}
BOTH = {**MAPPED, **WIDENS}
TABLE = "ALTER TABLE `dev`.`silver`.`orders`"
ADDRESS = struct(field("city", TEXT), field("geo", struct(field("lat", spark.FloatType()))))
HOME = {"city": "Bonn", "geo": {"lat": 1.5}}

EVOLUTION = (
    Scenario(
        name="fields added at every depth",
        before=columns(
            ID,
            Column("a", ADDRESS),
            Column("l", spark.ArrayType(struct(field("p", INT)))),
            Column("m", spark.MapType(TEXT, struct(field("u", INT)))),
        ),
        after=columns(
            ID,
            Column(
                "a", struct(field("city", TEXT), field("geo", struct(field("lat", spark.FloatType()), field("lon"))))
            ),
            Column("l", spark.ArrayType(struct(field("p", INT), field("q", TEXT, comment="New")))),
            Column("m", spark.MapType(TEXT, struct(field("u", INT), field("v", struct(field("x")))))),
        ),
        rows=({"id": 1, "a": HOME, "l": [{"p": 1}, None], "m": {"k": {"u": 2}}}, {"id": 2, "a": None}),
        plan=(
            "+ columns.a.geo.lon: (absent) -> bigint",
            "+ columns.l.element.q: (absent) -> string",
            "+ columns.m.value.v: (absent) -> struct<x: bigint>",
            "~ columns.l.element.q.comment: '' -> 'New'",
        ),
        sql=(
            f"{TABLE} ADD COLUMNS (\n  `a`.`geo`.`lon` BIGINT,\n  `l`.`element`.`q` STRING,\n  `m`.`value`.`v` STRUCT<`x`: BIGINT>\n)",
            f"{TABLE} ALTER COLUMN\n  `l`.`element`.`q` COMMENT 'New'",
        ),
        commits=2,
        left=(
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
        name="everything widened",
        before=columns(
            ID,
            column("i", INT),
            Column("a", ADDRESS),
            Column("l", spark.ArrayType(struct(field("p", spark.DecimalType(5, 2))))),
            Column("m", spark.MapType(INT, INT)),
            column("v", spark.VarcharType(3)),
            table_properties=WIDENS,
        ),
        after=columns(
            ID,
            column("i", spark.DecimalType(12, 2)),
            Column("a", struct(field("city", TEXT), field("geo", struct(field("lat", spark.DoubleType()))))),
            Column("l", spark.ArrayType(struct(field("p", spark.DecimalType(8, 3))))),
            Column("m", spark.MapType(LONG, LONG)),
            column("v", spark.VarcharType(5)),
            table_properties=WIDENS,
        ),
        rows=({"id": 1, "i": 7, "a": HOME, "l": [{"p": Decimal(1)}], "m": {1: 2}, "v": "abc"},),
        plan=(
            "~ columns.a.geo.lat: float -> double",
            "~ columns.i: int -> decimal(12,2)",
            "~ columns.l.element.p: decimal(5,2) -> decimal(8,3)",
            "~ columns.m.key: int -> bigint",
            "~ columns.m.value: int -> bigint",
            "~ columns.v: varchar(3) -> varchar(5)",
        ),
        sql=(
            (
                f"{TABLE} ALTER COLUMN\n  `a`.`geo`.`lat` TYPE DOUBLE,\n  `i` TYPE DECIMAL(12,2),\n  `l`.`element`.`p` TYPE DECIMAL(8,3),\n"
                "  `m`.`key` TYPE BIGINT,\n  `m`.`value` TYPE BIGINT,\n  `v` TYPE VARCHAR(5)"
            ),
        ),
        commits=1,
        left=({"id": 1, "i": 7, "a": HOME, "l": [{"p": 1}], "m": {1: 2}, "v": "abc"},),
    ),
    Scenario(
        name="widened, the feature on the way",
        before=columns(ID, column("d", spark.DateType())),
        after=columns(ID, column("d", spark.TimestampNTZType()), table_properties=WIDENS),
        plan=(
            "+ properties.delta.enableTypeWidening: (absent) -> 'true'",
            "+ properties.delta.feature.timestampNtz: (absent) -> 'supported'",
            "~ columns.d: date -> timestamp_ntz",
        ),
        sql=(
            f"{TABLE} SET TBLPROPERTIES (\n  'delta.enableTypeWidening' = 'true',\n  'delta.feature.timestampNtz' = 'supported'\n)",
            f"{TABLE} ALTER COLUMN\n  `d` TYPE TIMESTAMP_NTZ",
        ),
        commits=2,
    ),
    Scenario(
        name="widened without the feature",
        before=columns(ID, column("b", INT)),
        after=columns(ID, column("b")),
        rows=({"id": 1, "b": 2},),
        plan=("~ columns.b: int -> bigint",),
        refused=("DS208",),
        sql=(f"{TABLE} ALTER COLUMN\n  `b` TYPE BIGINT",),
        commits=0,
    ),
    Scenario(
        name="narrowed, with the feature",
        before=columns(ID, Column("s", struct(field("x"))), table_properties=WIDENS),
        after=columns(ID, Column("s", struct(field("x", INT))), comment="New"),
        rows=({"id": 1, "s": {"x": 2}},),
        plan=("~ columns.s.x: bigint -> int", "~ comment: '' -> 'New'"),
        refused=("DS208",),
        sql=(f"{TABLE} ALTER COLUMN\n  `s`.`x` TYPE INT", "COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New'"),
        commits=0,
    ),
    Scenario(
        name="widened under checks",
        before=columns(ID, column("b", INT), Column("s", struct(field("x", INT))), checks=[Check("b", "b > s.x")]),
        after=columns(
            ID, column("b"), Column("s", struct(field("x"))), checks=[Check("b", "b > s.x")], table_properties=WIDENS
        ),
        rows=({"id": 1, "b": 3, "s": {"x": 2}},),
        plan=(
            "+ properties.delta.enableTypeWidening: (absent) -> 'true'",
            "~ columns.b: int -> bigint",
            "~ columns.s.x: int -> bigint",
            "~ checks.b: b > s.x -> b > s.x",
        ),
        sql=(
            f"{TABLE} SET TBLPROPERTIES (\n  'delta.enableTypeWidening' = 'true'\n)",
            f"{TABLE} DROP CONSTRAINT `b`",
            f"{TABLE} ALTER COLUMN\n  `b` TYPE BIGINT,\n  `s`.`x` TYPE BIGINT",
            f"{TABLE} ADD CONSTRAINT `b` CHECK (b > s.x)",
        ),
        commits=4,
        left=({"id": 1, "b": 3, "s": {"x": 2}},),
    ),
    Scenario(
        name="fields and columns renamed, at every depth",
        before=columns(
            ID,
            Column("a", ADDRESS),
            Column("l", spark.ArrayType(struct(field("q", INT)))),
            Column("m", spark.MapType(TEXT, struct(field("u", INT)))),
            table_properties=MAPPED,
        ),
        after=columns(
            ID,
            Column(
                "address",
                struct(
                    field("city", TEXT),
                    field("place", struct(field("north", spark.FloatType(), renamed_from="lat")), renamed_from="geo"),
                ),
                renamed_from="a",
            ),
            Column("l", spark.ArrayType(struct(field("quantity", INT, renamed_from="q")))),
            Column("m", spark.MapType(TEXT, struct(field("unit", INT, renamed_from="u")))),
            table_properties=MAPPED,
        ),
        rows=({"id": 1, "a": HOME, "l": [{"q": 1}, {"q": None}], "m": {"q": {"u": 2}}}, {"id": 2}),
        plan=(
            "~ columns.a: a -> address (renamed)",
            "~ columns.address.geo: geo -> place (renamed)",
            "~ columns.address.place.lat: lat -> north (renamed)",
            "~ columns.l.element.q: q -> quantity (renamed)",
            "~ columns.m.value.u: u -> unit (renamed)",
        ),
        sql=(
            f"{TABLE} RENAME COLUMN `a` TO `address`",
            f"{TABLE} RENAME COLUMN `address`.`geo` TO `place`",
            f"{TABLE} RENAME COLUMN `address`.`place`.`lat` TO `north`",
            f"{TABLE} RENAME COLUMN `l`.`element`.`q` TO `quantity`",
            f"{TABLE} RENAME COLUMN `m`.`value`.`u` TO `unit`",
        ),
        commits=5,
        left=(
            {
                "id": 1,
                "address": {"city": "Bonn", "place": {"north": 1.5}},
                "l": [{"quantity": 1}, {"quantity": None}],
                "m": {"q": {"unit": 2}},
            },
            {"id": 2, "address": None, "l": None, "m": None},
        ),
    ),
    Scenario(
        name="renamed with everything that hangs on it",
        before=columns(
            column("old"),
            column("p"),
            table_properties=MAPPED,
            checks=[Check("positive", "old > 0 AND p > 0")],
            foreign_keys=[ForeignKey(["p"], parent(), name="fk")],
        ),
        after=columns(
            column("new", is_nullable=False, renamed_from="old"),
            column("to", renamed_from="p"),
            table_properties=MAPPED,
            primary_key=["new"],
            checks=[Check("positive", "new > 0 AND `to` > 0")],
            foreign_keys=[ForeignKey(["to"], parent(), name="fk")],
        ),
        rows=({"old": 1, "p": 7}, {"old": 2, "p": 7}),
        others=((parent(), ({"id": 7, "region": "a"},)),),
        plan=(
            "- foreign_keys.fk: (p) references dev.silver.parents (id) -> (absent)",
            "~ columns.old: old -> new (renamed)",
            "~ columns.p: p -> to (renamed)",
            "~ columns.new: nullable -> not null",
            "~ checks.positive: old > 0 AND p > 0 -> new > 0 AND `to` > 0",
            "+ primary_key: (absent) -> pk_dev_silver_orders__new (new)",
            "+ foreign_keys.fk: (absent) -> (to) references dev.silver.parents (id)",
        ),
        sql=(
            f"{TABLE} DROP CONSTRAINT `fk`",
            f"{TABLE} DROP CONSTRAINT `positive`",
            f"{TABLE} RENAME COLUMN `old` TO `new`",
            f"{TABLE} RENAME COLUMN `p` TO `to`",
            f"{TABLE} ALTER COLUMN\n  `new` SET NOT NULL",
            f"{TABLE} ADD CONSTRAINT `positive` CHECK (new > 0 AND `to` > 0)",
            f"{TABLE} ADD CONSTRAINT `pk_dev_silver_orders__new` PRIMARY KEY (`new`)",
            f"{TABLE} ADD CONSTRAINT `fk` FOREIGN KEY (`to`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=8,
        left=({"new": 1, "to": 7}, {"new": 2, "to": 7}),
    ),
    Scenario(
        name="renamed, and the data refuses what comes with it",
        before=columns(column("old"), Column("s", struct(field("x"))), table_properties=MAPPED),
        after=columns(
            column("new", is_nullable=False, renamed_from="old"),
            Column("t", struct(field("y", nullable=False, renamed_from="x")), renamed_from="s"),
            checks=[Check("positive", "new > 0 AND t.y > 0")],
        ),
        rows=({"old": None, "s": {"x": 1}}, {"old": 1, "s": {"x": None}}, {"old": 0, "s": {"x": 1}}),
        plan=(
            "~ columns.old: old -> new (renamed)",
            "~ columns.s: s -> t (renamed)",
            "~ columns.t.x: x -> y (renamed)",
            "~ columns.new: nullable -> not null",
            "~ columns.t.y: nullable -> not null",
            "+ checks.positive: (absent) -> new > 0 AND t.y > 0",
        ),
        refused=("DS301", "DS301", "DS302"),
        sql=(
            f"{TABLE} RENAME COLUMN `old` TO `new`",
            f"{TABLE} RENAME COLUMN `s` TO `t`",
            f"{TABLE} RENAME COLUMN `t`.`x` TO `y`",
            f"{TABLE} ALTER COLUMN\n  `new` SET NOT NULL,\n  `t`.`y` SET NOT NULL",
            f"{TABLE} ADD CONSTRAINT `positive` CHECK (new > 0 AND t.y > 0)",
        ),
        commits=0,
    ),
    Scenario(
        name="renamed long ago",
        before=columns(ID, column("new"), Column("s", struct(field("y")))),
        after=columns(ID, column("new", renamed_from="old"), Column("s", struct(field("y", renamed_from="x")))),
        rows=({"id": 1, "new": 2},),
        plan=(),
        sql=(),
        commits=0,
        left=({"id": 1, "new": 2, "s": None},),
    ),
    Scenario(
        name="renamed without column mapping",
        before=columns(ID, column("old")),
        after=columns(ID, column("new", renamed_from="old")),
        rows=({"id": 1, "old": 2},),
        plan=("~ columns.old: old -> new (renamed)",),
        refused=("DS211",),
        sql=(f"{TABLE} RENAME COLUMN `old` TO `new`",),
        commits=0,
    ),
    Scenario(
        name="fields dropped with consent, column mapping on the way",
        before=columns(ID, Column("l", spark.ArrayType(struct(field("p"), field("legacy"))))),
        after=columns(ID, Column("l", spark.ArrayType(struct(field("p")))), table_properties=MAPPED),
        rows=({"id": 1, "l": [{"p": 1, "legacy": 2}]},),
        consents=("drop-column dev.silver.orders.l.element.legacy",),
        plan=(
            "+ properties.delta.columnMapping.mode: (absent) -> 'name'",
            "- columns.l.element.legacy: bigint -> (not in the model)",
        ),
        sql=(
            f"{TABLE} SET TBLPROPERTIES (\n  'delta.columnMapping.mode' = 'name'\n)",
            f"{TABLE} DROP COLUMNS (`l`.`element`.`legacy`)",
        ),
        commits=2,
        left=({"id": 1, "l": [{"p": 1}]},),
    ),
    Scenario(
        name="field dropped without consent",
        before=columns(ID, Column("s", struct(field("x"), field("legacy"))), table_properties=MAPPED),
        after=columns(ID, Column("s", struct(field("x"))), table_properties=MAPPED),
        rows=({"id": 1, "s": {"x": 1, "legacy": 2}},),
        plan=("- columns.s.legacy: bigint -> (not in the model)",),
        refused=("DS206",),
        sql=(f"{TABLE} DROP COLUMNS (`s`.`legacy`)",),
        commits=0,
    ),
    Scenario(
        name="comments of fields",
        before=columns(
            ID,
            Column("a", struct(field("x", comment="Old"), field("y"))),
            Column("l", spark.ArrayType(struct(field("z")))),
        ),
        after=columns(
            ID,
            Column("a", struct(field("x"), field("y", comment="New"))),
            Column("l", spark.ArrayType(struct(field("z", comment="it's"))), comment="List"),
        ),
        rows=({"id": 1, "a": {"x": 1, "y": 2}},),
        plan=(
            "~ columns.l.comment: '' -> 'List'",
            "~ columns.a.x.comment: 'Old' -> ''",
            "~ columns.a.y.comment: '' -> 'New'",
            "~ columns.l.element.z.comment: '' -> \"it's\"",
        ),
        sql=(
            f"{TABLE} ALTER COLUMN\n  `l` COMMENT 'List',\n  `a`.`x` COMMENT '',\n  `a`.`y` COMMENT 'New'",
            f"{TABLE} ALTER COLUMN\n  `l`.`element`.`z` COMMENT 'it\\'s'",
        ),
        commits=2,
        left=({"id": 1, "a": {"x": 1, "y": 2}, "l": None},),
    ),
    Scenario(
        name="everything at once",
        before=columns(
            ID,
            Column("a", struct(field("x", INT), field("old", TEXT), field("gone"))),
            column("k", INT),
            table_properties=BOTH,
            checks=[Check("k", "k > 0")],
        ),
        after=columns(
            ID,
            Column("a", struct(field("x", comment="Wide"), field("new", TEXT, renamed_from="old"), field("more", INT))),
            column("key", is_nullable=False, renamed_from="k"),
            column("extra", TEXT),
            comment="All",
            table_properties=BOTH,
            checks=[Check("k", "`key` > 0")],
        ),
        rows=({"id": 1, "a": {"x": 1, "old": "o", "gone": 5}, "k": 3},),
        consents=("drop-column dev.silver.orders.a.gone",),
        plan=(
            "~ columns.k: k -> key (renamed)",
            "~ columns.a.old: old -> new (renamed)",
            "+ columns.extra: (absent) -> string",
            "+ columns.a.more: (absent) -> int",
            "~ columns.a.x: int -> bigint",
            "~ columns.key: int -> bigint",
            "- columns.a.gone: bigint -> (not in the model)",
            "~ columns.key: nullable -> not null",
            "~ checks.k: k > 0 -> `key` > 0",
            "~ columns.a.x.comment: '' -> 'Wide'",
            "~ comment: '' -> 'All'",
        ),
        sql=(
            f"{TABLE} DROP CONSTRAINT `k`",
            f"{TABLE} RENAME COLUMN `k` TO `key`",
            f"{TABLE} RENAME COLUMN `a`.`old` TO `new`",
            f"{TABLE} ADD COLUMNS (\n  `extra` STRING,\n  `a`.`more` INT\n)",
            f"{TABLE} ALTER COLUMN\n  `a`.`x` TYPE BIGINT,\n  `key` TYPE BIGINT",
            f"{TABLE} DROP COLUMNS (`a`.`gone`)",
            f"{TABLE} ALTER COLUMN\n  `key` SET NOT NULL",
            f"{TABLE} ADD CONSTRAINT `k` CHECK (`key` > 0)",
            f"{TABLE} ALTER COLUMN\n  `a`.`x` COMMENT 'Wide'",
            "COMMENT ON TABLE `dev`.`silver`.`orders` IS 'All'",
        ),
        commits=10,
        left=({"id": 1, "a": {"x": 1, "new": "o", "more": None}, "key": 3, "extra": None},),
    ),
)
