"""NOT NULL: created, tightened and loosened, over no rows, clean rows and rows that break it."""

from __future__ import annotations

from pytest_delta_schema import Column
from support.scenarios.parts import ID, PLACE, PLACE_STRICT, columns
from support.scenarios.scenario import Scenario
from support.tables import column

NOT_NULL = (
    Scenario(
        name="loosened",
        before=columns(ID, column("b", is_nullable=False)),
        after=columns(column(), column("b")),
        rows=({"id": 1, "b": 1},),
        plan=("~ columns.b: not null -> nullable", "~ columns.id: not null -> nullable"),
        sql=("ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `b` DROP NOT NULL,\n  `id` DROP NOT NULL",),
        commits=1,
    ),
    Scenario(
        name="tightened on an empty table",
        before=columns(column(), column("b")),
        after=columns(ID, column("b", is_nullable=False)),
        plan=("~ columns.b: nullable -> not null", "~ columns.id: nullable -> not null"),
        sql=("ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `b` SET NOT NULL,\n  `id` SET NOT NULL",),
        commits=1,
    ),
    Scenario(
        name="tightened and loosened at once",
        before=columns(column(), column("b", is_nullable=False)),
        after=columns(ID, column("b")),
        rows=({"id": 1, "b": 1},),
        plan=("~ columns.b: not null -> nullable", "~ columns.id: nullable -> not null"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `b` DROP NOT NULL",
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `id` SET NOT NULL",
        ),
        commits=2,
    ),
    Scenario(
        name="tightened over NULLs",
        before=columns(column(), column("b")),
        after=columns(ID, column("b", is_nullable=False), column("new"), comment="New"),
        rows=({"id": 1, "b": None}, {"id": None, "b": None}, {"id": 3, "b": 3}),
        plan=(
            "+ columns.new: (absent) -> bigint",
            "~ columns.b: nullable -> not null",
            "~ columns.id: nullable -> not null",
            "~ comment: '' -> 'New'",
        ),
        refused=("DS301", "DS301"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n  `new` BIGINT\n)",
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `b` SET NOT NULL,\n  `id` SET NOT NULL",
            "COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New'",
        ),
        commits=0,
    ),
    Scenario(
        name="added NOT NULL",
        before=columns(ID),
        after=columns(ID, column("b", is_nullable=False)),
        plan=("+ columns.b: (absent) -> bigint not null",),
        refused=("DS201",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n  `b` BIGINT NOT NULL\n)",),
        commits=0,
    ),
    Scenario(
        name="created NOT NULL",
        before=None,
        after=columns(ID, Column("s", PLACE_STRICT)),
        plan=(
            "+ schema dev.silver: (absent) -> created",
            "+ table: (absent) -> created with 2 columns",
            "+ columns.id: (absent) -> bigint not null",
            "+ columns.s: (absent) -> struct<name: string not null, geo: struct<lat: double not null, lon: double>>",
        ),
        sql=(
            "CREATE SCHEMA IF NOT EXISTS `dev`.`silver`",
            "CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (\n  `id` BIGINT NOT NULL,\n  `s` STRUCT<`name`: STRING NOT NULL, `geo`: STRUCT<`lat`: DOUBLE NOT NULL, `lon`: DOUBLE>>\n)\nUSING DELTA",
        ),
        commits=1,
    ),
    Scenario(
        name="tightened over clean rows",
        before=columns(column(), column("b")),
        after=columns(ID, column("b")),
        rows=({"id": 1}, {"id": 2, "b": 2}),
        plan=("~ columns.id: nullable -> not null",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `id` SET NOT NULL",),
        commits=1,
    ),
    Scenario(
        name="loosened over rows",
        before=columns(ID, column("b", is_nullable=False)),
        after=columns(ID, column("b")),
        rows=({"id": 1, "b": 1},),
        plan=("~ columns.b: not null -> nullable",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `b` DROP NOT NULL",),
        commits=1,
    ),
    Scenario(
        name="fields tightened on an empty table",
        before=columns(ID, Column("s", PLACE)),
        after=columns(ID, Column("s", PLACE_STRICT)),
        plan=("~ columns.s.geo.lat: nullable -> not null", "~ columns.s.name: nullable -> not null"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `s`.`geo`.`lat` SET NOT NULL,\n  `s`.`name` SET NOT NULL",
        ),
        commits=1,
    ),
    Scenario(
        name="fields tightened over clean rows",
        before=columns(ID, Column("s", PLACE)),
        after=columns(ID, Column("s", PLACE_STRICT)),
        rows=({"id": 1, "s": {"name": "a", "geo": {"lat": 1.0, "lon": 2.0}}},),
        plan=("~ columns.s.geo.lat: nullable -> not null", "~ columns.s.name: nullable -> not null"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `s`.`geo`.`lat` SET NOT NULL,\n  `s`.`name` SET NOT NULL",
        ),
        commits=1,
    ),
    Scenario(
        name="fields tightened over NULLs, of a struct that is NULL as well",
        before=columns(ID, Column("s", PLACE)),
        after=columns(ID, Column("s", PLACE_STRICT), comment="New"),
        rows=(
            {"id": 1, "s": {"name": "a", "geo": {"lat": None, "lon": 2.0}}},
            {"id": 2, "s": {"name": None, "geo": {"lat": 1.0, "lon": None}}},
            {"id": 3, "s": None},
        ),
        plan=(
            "~ columns.s.geo.lat: nullable -> not null",
            "~ columns.s.name: nullable -> not null",
            "~ comment: '' -> 'New'",
        ),
        refused=("DS301", "DS301"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `s`.`geo`.`lat` SET NOT NULL,\n  `s`.`name` SET NOT NULL",
            "COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New'",
        ),
        commits=0,
    ),
    Scenario(
        name="fields loosened over rows, and their column tightened",
        before=columns(ID, Column("s", PLACE_STRICT)),
        after=columns(ID, Column("s", PLACE, is_nullable=False)),
        rows=({"id": 1, "s": {"name": "a", "geo": {"lat": 1.0, "lon": 2.0}}},),
        plan=(
            "~ columns.s: nullable -> not null",
            "~ columns.s.geo.lat: not null -> nullable",
            "~ columns.s.name: not null -> nullable",
        ),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `s`.`geo`.`lat` DROP NOT NULL,\n  `s`.`name` DROP NOT NULL",
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `s` SET NOT NULL",
        ),
        commits=2,
    ),
    Scenario(
        name="fields loosened on an empty table",
        before=columns(ID, Column("s", PLACE_STRICT)),
        after=columns(ID, Column("s", PLACE)),
        plan=("~ columns.s.geo.lat: not null -> nullable", "~ columns.s.name: not null -> nullable"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `s`.`geo`.`lat` DROP NOT NULL,\n  `s`.`name` DROP NOT NULL",
        ),
        commits=1,
    ),
    Scenario(
        name="a column with a NOT NULL field added",
        before=columns(ID),
        after=columns(ID, Column("s", PLACE_STRICT)),
        plan=(
            "+ columns.s: (absent) -> struct<name: string not null, geo: struct<lat: double not null, lon: double>>",
        ),
        refused=("DS201", "DS201"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n  `s` STRUCT<`name`: STRING NOT NULL, `geo`: STRUCT<`lat`: DOUBLE NOT NULL, `lon`: DOUBLE>>\n)",
        ),
        commits=0,
    ),
)
