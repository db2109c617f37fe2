"""Primary keys: created, added, changed and dropped, over no rows, clean rows and rows that break them."""

from __future__ import annotations

from pytest_delta_schema import Check
from support.scenarios.parts import ID, MAPPED, columns
from support.scenarios.scenario import Scenario
from support.tables import column

KEYS = (
    Scenario(
        name="key added over NOT NULL",
        before=columns(ID),
        after=columns(ID, primary_key=["id"]),
        plan=("+ primary_key: (absent) -> pk_dev_silver_orders__id (id)",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`)",),
        commits=1,
    ),
    Scenario(
        name="key added over rows that share it, and everything else that rows break",
        before=columns(ID, column("b"), column("c", is_nullable=False)),
        after=columns(
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
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `b` SET NOT NULL",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (c < 2)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_c` PRIMARY KEY (`id`, `c`)",
        ),
        commits=0,
    ),
    Scenario(
        name="key added over rows that do not share it",
        before=columns(ID, column("b", is_nullable=False)),
        after=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        rows=({"id": 1, "b": 1}, {"id": 1, "b": 2}),
        plan=("+ primary_key: (absent) -> pk_dev_silver_orders__id_b (id, b)",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_b` PRIMARY KEY (`id`, `b`)",
        ),
        commits=1,
    ),
    Scenario(
        name="key dropped",
        before=columns(ID, primary_key=["id"]),
        after=columns(ID),
        plan=("- primary_key: pk_dev_silver_orders__id (id) -> (absent)",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`",),
        commits=1,
    ),
    Scenario(
        name="key changed",
        before=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        after=columns(ID, column("b", is_nullable=False), primary_key=["b", "id"]),
        plan=(
            "- primary_key: pk_dev_silver_orders__id_b (id, b) -> (absent)",
            "+ primary_key: (absent) -> pk_dev_silver_orders__b_id (b, id)",
        ),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id_b`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b_id` PRIMARY KEY (`b`, `id`)",
        ),
        commits=2,
    ),
    Scenario(
        name="key over an odd name",
        before=columns(column("${x}`'", is_nullable=False), table_properties=MAPPED),
        after=columns(column("${x}`'", is_nullable=False), table_properties=MAPPED, primary_key=["${X}`'"]),
        plan=("+ primary_key: (absent) -> pk_dev_silver_orders__${x}`' (${X}`')",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__${x}``'` PRIMARY KEY (`${X}``'`)",
        ),
        commits=1,
    ),
    Scenario(
        name="key over a new column",
        before=columns(ID),
        after=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        plan=(
            "+ columns.b: (absent) -> bigint not null",
            "+ primary_key: (absent) -> pk_dev_silver_orders__id_b (id, b)",
        ),
        refused=("DS201",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n  `b` BIGINT NOT NULL\n)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_b` PRIMARY KEY (`id`, `b`)",
        ),
        commits=0,
    ),
    Scenario(
        name="created with a key",
        before=None,
        after=columns(ID, column("b", is_nullable=False), primary_key=["b", "id"]),
        plan=(
            "+ schema dev.silver: (absent) -> created",
            "+ table: (absent) -> created with 2 columns",
            "+ columns.id: (absent) -> bigint not null",
            "+ columns.b: (absent) -> bigint not null",
            "+ primary_key: (absent) -> pk_dev_silver_orders__b_id (b, id)",
        ),
        sql=(
            "CREATE SCHEMA IF NOT EXISTS `dev`.`silver`",
            "CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (\n  `id` BIGINT NOT NULL,\n  `b` BIGINT NOT NULL\n)\nUSING DELTA",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b_id` PRIMARY KEY (`b`, `id`)",
        ),
        commits=2,
    ),
    Scenario(
        name="key added over repeated values",
        before=columns(ID, column("b", is_nullable=False)),
        after=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        rows=({"id": 1, "b": 1}, {"id": 1, "b": 1}, {"id": 1, "b": 2}),
        plan=("+ primary_key: (absent) -> pk_dev_silver_orders__id_b (id, b)",),
        refused=("DS303",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_b` PRIMARY KEY (`id`, `b`)",
        ),
        commits=0,
    ),
    Scenario(
        name="key added over columns that are tightened, and hold NULL",
        before=columns(column(), column("b")),
        after=columns(ID, column("b"), primary_key=["id"]),
        rows=({"id": 1}, {"id": None}, {"id": None}),
        plan=("~ columns.id: nullable -> not null", "+ primary_key: (absent) -> pk_dev_silver_orders__id (id)"),
        refused=("DS301",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `id` SET NOT NULL",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`)",
        ),
        commits=0,
    ),
    Scenario(
        name="key dropped over rows, and its column loosened",
        before=columns(ID, primary_key=["id"]),
        after=columns(column()),
        rows=({"id": 1},),
        plan=("- primary_key: pk_dev_silver_orders__id (id) -> (absent)", "~ columns.id: not null -> nullable"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`",
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `id` DROP NOT NULL",
        ),
        commits=2,
    ),
    Scenario(
        name="key changed over clean rows",
        before=columns(ID, column("b", is_nullable=False), primary_key=["id"]),
        after=columns(ID, column("b", is_nullable=False), primary_key=["b"]),
        rows=({"id": 1, "b": 1}, {"id": 2, "b": 2}),
        plan=(
            "- primary_key: pk_dev_silver_orders__id (id) -> (absent)",
            "+ primary_key: (absent) -> pk_dev_silver_orders__b (b)",
        ),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b` PRIMARY KEY (`b`)",
        ),
        commits=2,
    ),
    Scenario(
        name="key changed over values that the new one repeats",
        before=columns(ID, column("b", is_nullable=False), primary_key=["id"]),
        after=columns(ID, column("b", is_nullable=False), primary_key=["b"]),
        rows=({"id": 1, "b": 2}, {"id": 2, "b": 2}),
        plan=(
            "- primary_key: pk_dev_silver_orders__id (id) -> (absent)",
            "+ primary_key: (absent) -> pk_dev_silver_orders__b (b)",
        ),
        refused=("DS303",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b` PRIMARY KEY (`b`)",
        ),
        commits=0,
    ),
    Scenario(
        name="key over columns that stay nullable",
        before=columns(column()),
        after=columns(column(), primary_key=["id"]),
        plan=("+ primary_key: (absent) -> pk_dev_silver_orders__id (id)",),
        refused=("DS104",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`)",),
        commits=0,
    ),
)
