"""Columns: added, renamed, NOT NULL, and with names of special characters."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, FloatType, MapType

from pytest_delta_schema import Check, Column, ForeignKey
from pytest_delta_schema.testing.scenario import (
    ADDRESS,
    BOTH,
    HOME,
    ID,
    INT,
    MAPPED,
    ODD_NAMES,
    ODD_TEXT,
    PLACE,
    PLACE_STRICT,
    TEXT,
    Scenario,
    column,
    columns,
    field,
    parent,
    struct,
)

ADDITIVE: tuple[Scenario, ...] = (
    Scenario(
        name="additive/undeclared_column_between_declared_ones",
        description="An undeclared column between declared ones is drift. Dropping it needs consent.",
        before=columns(ID, column("inside"), column("last"), table_properties=MAPPED),
        after=columns(ID, column("last"), evolution="additive"),
        plan="- columns.inside: bigint -> (not in the model)",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`inside`);
""",
        refused_by=("DS206",),
    ),
    Scenario(
        name="additive/undeclared_columns_kept",
        description="Undeclared columns and fields after the declared ones are not drift.",
        before=columns(
            ID, Column("s", struct(field("x"), field("new"))), column("extra"), Column("more", TEXT, comment="Theirs")
        ),
        after=columns(ID, Column("s", struct(field("x"))), evolution="additive"),
        rows=({"id": 1, "s": {"x": 1, "new": 2}, "extra": 3, "more": "m"},),
        plan="",
        sql="",
    ),
    Scenario(
        name="additive/new_columns_before_undeclared_ones",
        description="New columns and fields go after the declared ones and before the undeclared ones.",
        before=columns(ID, Column("s", struct(field("x"), field("theirs"))), column("extra")),
        after=columns(
            ID, Column("s", struct(field("x"), field("y"), field("z"))), column("a"), column("b"), evolution="additive"
        ),
        rows=({"id": 1, "s": {"x": 1, "theirs": 2}, "extra": 3},),
        plan="""
+ columns.a: (absent) -> bigint
+ columns.b: (absent) -> bigint
+ columns.s.y: (absent) -> bigint
+ columns.s.z: (absent) -> bigint
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `a` BIGINT AFTER `s`,
  `b` BIGINT AFTER `a`,
  `s`.`y` BIGINT AFTER `x`,
  `s`.`z` BIGINT AFTER `y`
);
""",
        commits=1,
        rows_after=({"id": 1, "s": {"x": 1, "y": None, "z": None, "theirs": 2}, "a": None, "b": None, "extra": 3},),
    ),
    Scenario(
        name="additive/undeclared_not_null_column",
        description="An undeclared NOT NULL column is drift: every other writer would have to provide it.",
        before=columns(ID, column("extra", is_nullable=False), table_properties=MAPPED),
        after=columns(ID, evolution="additive"),
        plan="- columns.extra: bigint not null -> (not in the model)",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`extra`);
""",
        refused_by=("DS206",),
    ),
    Scenario(
        name="additive/no_declared_column_exists",
        description="All stored columns are undeclared. The declared column is added first.",
        before=columns(column("theirs")),
        after=columns(column("id"), evolution="additive"),
        plan="+ columns.id: (absent) -> bigint",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `id` BIGINT FIRST
);
""",
    ),
    Scenario(
        name="additive/renamed_and_commented_beside_an_undeclared_column",
        before=columns(ID, column("old"), column("extra"), table_properties=MAPPED),
        after=columns(
            ID, column("new", renamed_from="old", comment="New"), evolution="additive", table_properties=MAPPED
        ),
        rows=({"id": 1, "old": 2, "extra": 3},),
        plan="""
~ columns.old: old -> new (renamed)
~ columns.new.comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `new`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `new` COMMENT 'New';
""",
        rows_after=({"id": 1, "new": 2, "extra": 3},),
    ),
    Scenario(
        name="additive/strict_contract",
        description="Under a strict contract an undeclared column is drift.",
        before=columns(ID, column("extra"), table_properties=MAPPED),
        after=columns(ID, evolution="strict"),
        plan="- columns.extra: bigint -> (not in the model)",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`extra`);
""",
        refused_by=("DS206",),
    ),
)


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


NOT_NULL: tuple[Scenario, ...] = (
    Scenario(
        name="not_null/column_with_a_not_null_field_added",
        before=columns(ID),
        after=columns(ID, Column("s", PLACE_STRICT)),
        plan="""
+ columns.s: (absent) -> struct<name: string not null, geo: struct<lat: double not null, lon: double>>
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `s` STRUCT<`name`: STRING NOT NULL, `geo`: STRUCT<`lat`: DOUBLE NOT NULL, `lon`: DOUBLE>>
);
""",
        refused_by=("DS201", "DS201"),
        commits=0,
    ),
    Scenario(
        name="not_null/not_null_column_added",
        before=columns(ID),
        after=columns(ID, column("b", is_nullable=False)),
        plan="""
+ columns.b: (absent) -> bigint not null
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `b` BIGINT NOT NULL
);
""",
        refused_by=("DS201",),
        commits=0,
    ),
    Scenario(
        name="not_null/not_null_column_created",
        before=None,
        after=columns(ID, Column("s", PLACE_STRICT)),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 2 columns
+ columns.id: (absent) -> bigint not null
+ columns.s: (absent) -> struct<name: string not null, geo: struct<lat: double not null, lon: double>>
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `s` STRUCT<`name`: STRING NOT NULL, `geo`: STRUCT<`lat`: DOUBLE NOT NULL, `lon`: DOUBLE>>
)
USING DELTA;
""",
        commits=1,
    ),
    Scenario(
        name="not_null/fields_made_nullable_on_an_empty_table",
        before=columns(ID, Column("s", PLACE_STRICT)),
        after=columns(ID, Column("s", PLACE)),
        plan="""
~ columns.s.geo.lat: not null -> nullable
~ columns.s.name: not null -> nullable
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`geo`.`lat` DROP NOT NULL,
  `s`.`name` DROP NOT NULL;
""",
        commits=1,
    ),
    Scenario(
        name="not_null/fields_made_nullable_and_their_column_not_null_over_rows",
        before=columns(ID, Column("s", PLACE_STRICT)),
        after=columns(ID, Column("s", PLACE, is_nullable=False)),
        rows=({"id": 1, "s": {"name": "a", "geo": {"lat": 1.0, "lon": 2.0}}},),
        plan="""
~ columns.s: nullable -> not null
~ columns.s.geo.lat: not null -> nullable
~ columns.s.name: not null -> nullable
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`geo`.`lat` DROP NOT NULL,
  `s`.`name` DROP NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s` SET NOT NULL;
""",
        commits=2,
    ),
    Scenario(
        name="not_null/fields_set_not_null_on_an_empty_table",
        before=columns(ID, Column("s", PLACE)),
        after=columns(ID, Column("s", PLACE_STRICT)),
        plan="""
~ columns.s.geo.lat: nullable -> not null
~ columns.s.name: nullable -> not null
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`geo`.`lat` SET NOT NULL,
  `s`.`name` SET NOT NULL;
""",
        commits=1,
    ),
    Scenario(
        name="not_null/fields_set_not_null_over_valid_rows",
        before=columns(ID, Column("s", PLACE)),
        after=columns(ID, Column("s", PLACE_STRICT)),
        rows=({"id": 1, "s": {"name": "a", "geo": {"lat": 1.0, "lon": 2.0}}},),
        plan="""
~ columns.s.geo.lat: nullable -> not null
~ columns.s.name: nullable -> not null
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`geo`.`lat` SET NOT NULL,
  `s`.`name` SET NOT NULL;
""",
        commits=1,
    ),
    Scenario(
        name="not_null/fields_set_not_null_over_nulls_and_null_structs",
        before=columns(ID, Column("s", PLACE)),
        after=columns(ID, Column("s", PLACE_STRICT), comment="New"),
        rows=(
            {"id": 1, "s": {"name": "a", "geo": {"lat": None, "lon": 2.0}}},
            {"id": 2, "s": {"name": None, "geo": {"lat": 1.0, "lon": None}}},
            {"id": 3, "s": None},
        ),
        plan="""
~ columns.s.geo.lat: nullable -> not null
~ columns.s.name: nullable -> not null
~ comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`geo`.`lat` SET NOT NULL,
  `s`.`name` SET NOT NULL;

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New';
""",
        refused_by=("DS301", "DS301"),
        commits=0,
    ),
    Scenario(
        name="not_null/made_nullable",
        before=columns(ID, column("b", is_nullable=False)),
        after=columns(column(), column("b")),
        rows=({"id": 1, "b": 1},),
        plan="""
~ columns.b: not null -> nullable
~ columns.id: not null -> nullable
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` DROP NOT NULL,
  `id` DROP NOT NULL;
""",
        commits=1,
    ),
    Scenario(
        name="not_null/made_nullable_over_rows",
        before=columns(ID, column("b", is_nullable=False)),
        after=columns(ID, column("b")),
        rows=({"id": 1, "b": 1},),
        plan="""
~ columns.b: not null -> nullable
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` DROP NOT NULL;
""",
        commits=1,
    ),
    Scenario(
        name="not_null/set_not_null_and_made_nullable_at_once",
        before=columns(column(), column("b", is_nullable=False)),
        after=columns(ID, column("b")),
        rows=({"id": 1, "b": 1},),
        plan="""
~ columns.b: not null -> nullable
~ columns.id: nullable -> not null
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` DROP NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` SET NOT NULL;
""",
        commits=2,
    ),
    Scenario(
        name="not_null/set_not_null_on_an_empty_table",
        before=columns(column(), column("b")),
        after=columns(ID, column("b", is_nullable=False)),
        plan="""
~ columns.b: nullable -> not null
~ columns.id: nullable -> not null
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` SET NOT NULL,
  `id` SET NOT NULL;
""",
        commits=1,
    ),
    Scenario(
        name="not_null/set_not_null_over_valid_rows",
        before=columns(column(), column("b")),
        after=columns(ID, column("b")),
        rows=({"id": 1}, {"id": 2, "b": 2}),
        plan="""
~ columns.id: nullable -> not null
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` SET NOT NULL;
""",
        commits=1,
    ),
    Scenario(
        name="not_null/set_not_null_over_nulls",
        before=columns(column(), column("b")),
        after=columns(ID, column("b", is_nullable=False), column("new"), comment="New"),
        rows=({"id": 1, "b": None}, {"id": None, "b": None}, {"id": 3, "b": 3}),
        plan="""
+ columns.new: (absent) -> bigint
~ columns.b: nullable -> not null
~ columns.id: nullable -> not null
~ comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `new` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` SET NOT NULL,
  `id` SET NOT NULL;

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New';
""",
        refused_by=("DS301", "DS301"),
        commits=0,
    ),
)


SPECIAL_CHARACTERS: tuple[Scenario, ...] = (
    Scenario(
        name="basics/special_characters_in_comments_and_properties_created",
        before=None,
        after=columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT}),
        plan=r"""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint
+ comment: (absent) -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
+ properties.quote ' double " back \ slash
new line	tab ${x} $y `tick` -- ; %s 😀 中: (absent) -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
""",
        sql=r"""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT COMMENT 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
)
USING DELTA
COMMENT 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
TBLPROPERTIES (
  'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中' = 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
);
""",
    ),
    Scenario(
        name="basics/special_characters_in_comments_and_properties_set",
        before=columns(column()),
        after=columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT}),
        plan=r"""
~ columns.id.comment: '' -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
~ comment: '' -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
+ properties.quote ' double " back \ slash
new line	tab ${x} $y `tick` -- ; %s 😀 中: (absent) -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
""",
        sql=r"""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` COMMENT 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中';

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中';

ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中' = 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
);
""",
    ),
    Scenario(
        name="basics/special_characters_in_names_added_commented_set_not_null",
        before=columns(*[column(name) for name in ODD_NAMES[:3]], table_properties=MAPPED),
        after=columns(
            *[column(name, is_nullable=False, comment="c") for name in ODD_NAMES[:3]],
            *[column(name) for name in ODD_NAMES[3:5]],
            table_properties=MAPPED,
        ),
        plan=r"""
+ columns.`${x}`: (absent) -> bigint
+ columns.`emoji 😀`: (absent) -> bigint
~ columns.`back``tick`: nullable -> not null
~ columns.`double"quote`: nullable -> not null
~ columns.`quote\u0027quote`: nullable -> not null
~ columns.`back``tick`.comment: '' -> 'c'
~ columns.`double"quote`.comment: '' -> 'c'
~ columns.`quote\u0027quote`.comment: '' -> 'c'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `${x}` BIGINT,
  `emoji 😀` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `back``tick` SET NOT NULL,
  `double"quote` SET NOT NULL,
  `quote'quote` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `back``tick` COMMENT 'c',
  `double"quote` COMMENT 'c',
  `quote'quote` COMMENT 'c';
""",
    ),
    Scenario(
        name="basics/special_characters_in_names_created",
        before=None,
        after=columns(*[column(name) for name in ODD_NAMES], table_properties=MAPPED),
        plan=r"""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 12 columns
+ columns.`back``tick`: (absent) -> bigint
+ columns.`quote\u0027quote`: (absent) -> bigint
+ columns.`double"quote`: (absent) -> bigint
+ columns.`${x}`: (absent) -> bigint
+ columns.`emoji 😀`: (absent) -> bigint
+ columns.`new\u000aline`: (absent) -> bigint
+ columns.`brack]et`: (absent) -> bigint
+ columns.`colon::colon`: (absent) -> bigint
+ columns.`a.b`: (absent) -> bigint
+ columns.`semi;colon`: (absent) -> bigint
+ columns.`percent%s`: (absent) -> bigint
+ columns.中: (absent) -> bigint
+ properties.delta.columnMapping.mode: (absent) -> 'name'
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `back``tick` BIGINT,
  `quote'quote` BIGINT,
  `double"quote` BIGINT,
  `${x}` BIGINT,
  `emoji 😀` BIGINT,
  `new
line` BIGINT,
  `brack]et` BIGINT,
  `colon::colon` BIGINT,
  `a.b` BIGINT,
  `semi;colon` BIGINT,
  `percent%s` BIGINT,
  `中` BIGINT
)
USING DELTA
TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name'
);
""",
    ),
    Scenario(
        name="basics/special_characters_in_a_property_unset",
        before=columns(column(), table_properties={ODD_TEXT: "x", "plain": "y"}),
        after=columns(column(), table_properties={ODD_TEXT: None}),
        plan=r"""
- properties.quote ' double " back \ slash
new line	tab ${x} $y `tick` -- ; %s 😀 中: 'x' -> (absent)
""",
        sql=r"""
ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中');
""",
    ),
)
