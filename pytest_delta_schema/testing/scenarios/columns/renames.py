"""Renamed columns and fields, and several kinds of changes in one plan."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, FloatType, MapType

from pytest_delta_schema import Check, Column, ForeignKey
from pytest_delta_schema.testing.parts import (
    ADDRESS,
    BOTH,
    HOME,
    ID,
    INT,
    MAPPED,
    TEXT,
    column,
    columns,
    field,
    parent,
    struct,
)
from pytest_delta_schema.testing.scenario import Scenario

RENAMES: tuple[Scenario, ...] = (
    Scenario(
        name="evolution/every_change_at_once",
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
        plan="""
- checks.k: k > 0 -> (replaced)
~ columns.k: k -> key (renamed)
~ columns.a.old: old -> new (renamed)
+ columns.extra: (absent) -> string
+ columns.a.more: (absent) -> int
~ columns.a.x: int -> bigint
~ columns.key: int -> bigint
- columns.a.gone: bigint -> (not in the model)
~ columns.key: nullable -> not null
+ checks.k: (absent) -> `key` > 0
~ columns.a.x.comment: '' -> 'Wide'
~ comment: '' -> 'All'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `k`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `k` TO `key`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `a`.`old` TO `new`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `extra` STRING,
  `a`.`more` INT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a`.`x` TYPE BIGINT,
  `key` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`a`.`gone`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `key` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `k` CHECK (`key` > 0);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a`.`x` COMMENT 'Wide';

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'All';
""",
        commits=10,
        rows_after=({"id": 1, "a": {"x": 1, "new": "o", "more": None}, "key": 3, "extra": None},),
    ),
    Scenario(
        name="evolution/fields_and_columns_renamed_at_every_depth",
        before=columns(
            ID,
            Column("a", ADDRESS),
            Column("l", ArrayType(struct(field("q", INT)))),
            Column("m", MapType(TEXT, struct(field("u", INT)))),
            table_properties=MAPPED,
        ),
        after=columns(
            ID,
            Column(
                "address",
                struct(
                    field("city", TEXT),
                    field("place", struct(field("north", FloatType(), renamed_from="lat")), renamed_from="geo"),
                ),
                renamed_from="a",
            ),
            Column("l", ArrayType(struct(field("quantity", INT, renamed_from="q")))),
            Column("m", MapType(TEXT, struct(field("unit", INT, renamed_from="u")))),
            table_properties=MAPPED,
        ),
        rows=({"id": 1, "a": HOME, "l": [{"q": 1}, {"q": None}], "m": {"q": {"u": 2}}}, {"id": 2}),
        plan="""
~ columns.a: a -> address (renamed)
~ columns.address.geo: geo -> place (renamed)
~ columns.address.place.lat: lat -> north (renamed)
~ columns.l.element.q: q -> quantity (renamed)
~ columns.m.value.u: u -> unit (renamed)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `a` TO `address`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `address`.`geo` TO `place`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `address`.`place`.`lat` TO `north`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `l`.`element`.`q` TO `quantity`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `m`.`value`.`u` TO `unit`;
""",
        commits=5,
        rows_after=(
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
        name="evolution/renamed_columns_whose_rows_violate_new_constraints",
        before=columns(column("old"), Column("s", struct(field("x"))), table_properties=MAPPED),
        after=columns(
            column("new", is_nullable=False, renamed_from="old"),
            Column("t", struct(field("y", nullable=False, renamed_from="x")), renamed_from="s"),
            checks=[Check("positive", "new > 0 AND t.y > 0")],
        ),
        rows=({"old": None, "s": {"x": 1}}, {"old": 1, "s": {"x": None}}, {"old": 0, "s": {"x": 1}}),
        plan="""
~ columns.old: old -> new (renamed)
~ columns.s: s -> t (renamed)
~ columns.t.x: x -> y (renamed)
~ columns.new: nullable -> not null
~ columns.t.y: nullable -> not null
+ checks.positive: (absent) -> new > 0 AND t.y > 0
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `new`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `s` TO `t`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `t`.`x` TO `y`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `new` SET NOT NULL,
  `t`.`y` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (new > 0 AND t.y > 0);
""",
        refused_by=("DS301", "DS301", "DS302"),
        commits=0,
    ),
    Scenario(
        name="evolution/renamed_from_a_column_that_no_longer_exists",
        before=columns(ID, column("new"), Column("s", struct(field("y")))),
        after=columns(ID, column("new", renamed_from="old"), Column("s", struct(field("y", renamed_from="x")))),
        rows=({"id": 1, "new": 2},),
        plan="",
        sql="",
        commits=0,
        rows_after=({"id": 1, "new": 2, "s": None},),
    ),
    Scenario(
        name="evolution/renamed_with_constraints_that_depend_on_it",
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
        other_tables=((parent(), ({"id": 7, "region": "a"},)),),
        plan="""
- foreign_keys.fk: (p) references dev.silver.parents (id) -> (absent)
- checks.positive: old > 0 AND p > 0 -> (replaced)
~ columns.old: old -> new (renamed)
~ columns.p: p -> to (renamed)
~ columns.new: nullable -> not null
+ checks.positive: (absent) -> new > 0 AND `to` > 0
+ primary_key: (absent) -> pk_dev_silver_orders__new (new)
+ foreign_keys.fk: (absent) -> (to) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk`;

ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `new`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `p` TO `to`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `new` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (new > 0 AND `to` > 0);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__new` PRIMARY KEY (`new`);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk` FOREIGN KEY (`to`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        commits=8,
        rows_after=({"new": 1, "to": 7}, {"new": 2, "to": 7}),
    ),
    Scenario(
        name="evolution/renamed_without_column_mapping",
        before=columns(ID, column("old")),
        after=columns(ID, column("new", renamed_from="old")),
        rows=({"id": 1, "old": 2},),
        requires_unset=("delta.columnMapping.mode",),
        plan="""
~ columns.old: old -> new (renamed)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `new`;
""",
        refused_by=("DS211",),
        commits=0,
    ),
)
