"""CHECK constraints: created, added, replaced, renamed and dropped, over no rows, clean rows and rows that break them."""

from __future__ import annotations

from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column
from support.scenarios.parts import DROP, ID, MAPPED, PLACE, columns
from support.scenarios.scenario import Scenario
from support.tables import column

CHECKS = (
    Scenario(
        name="created with checks",
        before=None,
        after=columns(ID, column("b"), checks=[Check("Positive", "id > 0"), Check("small", "b < 10 -- of course")]),
        rows=(),
        plan=(
            "+ schema dev.silver: (absent) -> created",
            "+ table: (absent) -> created with 2 columns",
            "+ columns.id: (absent) -> bigint not null",
            "+ columns.b: (absent) -> bigint",
            "+ checks.Positive: (absent) -> id > 0",
            "+ checks.small: (absent) -> b < 10 -- of course",
        ),
        sql=(
            "CREATE SCHEMA IF NOT EXISTS `dev`.`silver`",
            "CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (\n  `id` BIGINT NOT NULL,\n  `b` BIGINT\n)\nUSING DELTA\nTBLPROPERTIES (\n  'delta.constraints.positive' = 'id > 0',\n  'delta.constraints.small' = 'b < 10 -- of course'\n)",
        ),
        commits=1,
    ),
    Scenario(
        name="checks in another spelling",
        before=columns(ID, column("b"), checks=[Check("POSITIVE", "id > 0 and (b is null or b<10)")]),
        after=columns(ID, column("b"), checks=[Check("positive", "`ID` > 0 AND (b IS NULL OR (B < 10))")]),
        plan=(),
        sql=(),
        commits=0,
    ),
    Scenario(
        name="checks in another form",
        before=columns(ID, checks=[Check("range", "id between 1 and 9"), Check("flipped", "0 < id")]),
        after=columns(ID, checks=[Check("range", "id >= 1 and id <= 9"), Check("flipped", "id > 0")]),
        plan=(),
        sql=(),
        commits=0,
    ),
    Scenario(
        name="check added to an empty table",
        before=columns(ID),
        after=columns(ID, checks=[Check("positive", "id > 0")]),
        plan=("+ checks.positive: (absent) -> id > 0",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 0)",),
        commits=1,
    ),
    Scenario(
        name="checks added over clean rows",
        before=columns(ID, column("b")),
        after=columns(ID, column("b"), checks=[Check("positive", "id > 0"), Check("small", "coalesce(b, 0) < 10")]),
        rows=({"id": 1, "b": None}, {"id": 2, "b": 9}),
        plan=("+ checks.positive: (absent) -> id > 0", "+ checks.small: (absent) -> coalesce(b, 0) < 10"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 0)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (coalesce(b, 0) < 10)",
        ),
        commits=2,
    ),
    Scenario(
        name="checks added over rows that break them, and NOT NULL over NULL",
        before=columns(column(), column("b")),
        after=columns(ID, column("b"), checks=[Check("positive", "id > 0"), Check("small", "b < 10")]),
        rows=({"id": None, "b": 1}, {"id": 2, "b": None}, {"id": -3, "b": 10}),
        plan=(
            "~ columns.id: nullable -> not null",
            "+ checks.positive: (absent) -> id > 0",
            "+ checks.small: (absent) -> b < 10",
        ),
        refused=("DS301", "DS302", "DS302"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `id` SET NOT NULL",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 0)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (b < 10)",
        ),
        commits=0,
    ),
    Scenario(
        name="check dropped",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID),
        rows=({"id": 1},),
        plan=("- checks.positive: id > 0 -> (absent, which loosens the table)",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`",),
        commits=1,
    ),
    Scenario(
        name="check replaced",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, checks=[Check("positive", "id > 1")]),
        rows=({"id": 2},),
        plan=("~ checks.positive: id > 0 -> id > 1",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 1)",
        ),
        commits=2,
    ),
    Scenario(
        name="check replaced over rows that break the new one",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, checks=[Check("positive", "id > 1")]),
        rows=({"id": 1},),
        plan=("~ checks.positive: id > 0 -> id > 1",),
        refused=("DS302",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 1)",
        ),
        commits=0,
    ),
    Scenario(
        name="check renamed",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, checks=[Check("above_zero", "ID > 0")]),
        rows=({"id": 1},),
        plan=("~ checks.positive: positive -> above_zero (renamed)",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `above_zero` CHECK (ID > 0)",
        ),
        commits=2,
    ),
    Scenario(
        name="check over a new column of an empty table",
        before=columns(ID),
        after=columns(ID, column("b"), checks=[Check("small", "b < 10")]),
        plan=("+ columns.b: (absent) -> bigint", "+ checks.small: (absent) -> b < 10"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n  `b` BIGINT\n)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (b < 10)",
        ),
        commits=2,
    ),
    Scenario(
        name="check over a new column, whose NULLs break it",
        before=columns(ID),
        after=columns(ID, column("b"), checks=[Check("small", "b < 10")]),
        rows=({"id": 1}, {"id": 2}),
        plan=("+ columns.b: (absent) -> bigint", "+ checks.small: (absent) -> b < 10"),
        refused=("DS302",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n  `b` BIGINT\n)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (b < 10)",
        ),
        commits=0,
    ),
    Scenario(
        name="check over a new column that takes NULLs",
        before=columns(ID),
        after=columns(ID, column("b"), checks=[Check("small", "b is null or b < 10")]),
        rows=({"id": 1}, {"id": 2}),
        plan=("+ columns.b: (absent) -> bigint", "+ checks.small: (absent) -> b is null or b < 10"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n  `b` BIGINT\n)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (b is null or b < 10)",
        ),
        commits=2,
    ),
    Scenario(
        name="check over a column that goes",
        before=columns(ID, column("legacy"), table_properties=MAPPED, checks=[Check("old", "legacy > 0")]),
        after=columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        plan=(
            "- checks.old: legacy > 0 -> (absent, which loosens the table)",
            "- columns.legacy: bigint -> (not in the model)",
        ),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `old`",
            "ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`)",
        ),
        commits=2,
    ),
    Scenario(
        name="checks with odd names and text",
        before=columns(ID, Column("name", spark.StringType())),
        after=columns(
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
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `it's ``odd``` CHECK (name <> 'a\\'b;--' OR id = 1\n)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `spaced name.dotted` CHECK (name LIKE '%😀%' OR id > 0)",
        ),
        commits=2,
    ),
    Scenario(
        name="check dropped from an empty table",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID),
        plan=("- checks.positive: id > 0 -> (absent, which loosens the table)",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`",),
        commits=1,
    ),
    Scenario(
        name="check replaced on an empty table, over a column that comes",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, column("b"), checks=[Check("positive", "b > 0")]),
        plan=("+ columns.b: (absent) -> bigint", "~ checks.positive: id > 0 -> b > 0"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n  `b` BIGINT\n)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (b > 0)",
        ),
        commits=3,
    ),
    Scenario(
        name="check renamed over many rows, and another one added",
        before=columns(ID, column("b"), checks=[Check("positive", "id > 0")]),
        after=columns(ID, column("b"), checks=[Check("above_zero", "id > 0"), Check("small", "id < 10")]),
        rows=({"id": 1}, {"id": 2}),
        plan=("~ checks.positive: positive -> above_zero (renamed)", "+ checks.small: (absent) -> id < 10"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `above_zero` CHECK (id > 0)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (id < 10)",
        ),
        commits=3,
    ),
    Scenario(
        name="check over a field, added over clean rows",
        before=columns(ID, Column("s", PLACE)),
        after=columns(ID, Column("s", PLACE), checks=[Check("north", "s.geo.lat > 0 OR s.geo.lat IS NULL")]),
        rows=(),
        plan=("+ checks.north: (absent) -> s.geo.lat > 0 OR s.geo.lat IS NULL",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `north` CHECK (s.geo.lat > 0 OR s.geo.lat IS NULL)",),
        commits=1,
    ),
    Scenario(
        name="check that the model does not know and nobody owns",
        before=columns(ID, column("b"), checks=[Check("theirs", "b IS NOT NULL"), Check("ours", "id > 0")]),
        after=columns(ID, column("b"), checks=[Check("ours", "id > 0")]),
        rows=({"id": 1, "b": 1},),
        plan=("- checks.theirs: b IS NOT NULL -> (absent, which loosens the table)",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `theirs`",),
        commits=1,
    ),
    Scenario(
        name="check stays while a column that it does not name goes",
        before=columns(ID, column("legacy"), table_properties=MAPPED, checks=[Check("positive", "id > 0")]),
        after=columns(ID, table_properties=MAPPED, checks=[Check("positive", "id > 0")]),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        plan=("- columns.legacy: bigint -> (not in the model)",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`)",),
        commits=1,
    ),
    Scenario(
        name="checks that fault offline",
        before=columns(ID),
        after=columns(ID, checks=[Check("now", "id < unix_timestamp(current_timestamp())"), Check("gone", "b > 0")]),
        plan=("+ checks.gone: (absent) -> b > 0", "+ checks.now: (absent) -> id < unix_timestamp(current_timestamp())"),
        refused=("DS111", "DS111"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `gone` CHECK (b > 0)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `now` CHECK (id < unix_timestamp(current_timestamp()))",
        ),
        commits=0,
    ),
)
