"""NOT NULL of columns and fields."""

from __future__ import annotations

from pytest_delta_schema import Column
from pytest_delta_schema.testing.parts import ID, PLACE, PLACE_STRICT, column, columns
from pytest_delta_schema.testing.scenario import Scenario

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
