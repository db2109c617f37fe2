"""Primary keys with RELY, which lets Databricks optimise queries by the key."""

from __future__ import annotations

from pytest_delta_schema import PrimaryKey
from pytest_delta_schema.testing.parts import ID, columns
from pytest_delta_schema.testing.scenario import Scenario

RELY: tuple[Scenario, ...] = (
    Scenario(
        name="primary_keys/created_with_rely",
        before=None,
        after=columns(ID, primary_key=PrimaryKey(["id"], rely=True)),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint not null
+ primary_key: (absent) -> pk_dev_silver_orders__id (id) rely
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL
)
USING DELTA;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`) RELY;
""",
        commits=2,
    ),
    Scenario(
        name="primary_keys/rely_added_over_unique_rows",
        before=columns(ID, primary_key=["id"]),
        after=columns(ID, primary_key=PrimaryKey(["id"], rely=True)),
        rows=({"id": 1}, {"id": 2}),
        plan="""
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
+ primary_key: (absent) -> pk_dev_silver_orders__id (id) rely
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`) RELY;
""",
        commits=2,
    ),
    Scenario(
        name="primary_keys/rely_added_over_repeated_values",
        before=columns(ID, primary_key=["id"]),
        after=columns(ID, primary_key=PrimaryKey(["id"], rely=True)),
        rows=({"id": 1}, {"id": 1}),
        plan="""
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
+ primary_key: (absent) -> pk_dev_silver_orders__id (id) rely
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`) RELY;
""",
        refused_by=("DS303",),
        commits=0,
    ),
    Scenario(
        name="primary_keys/rely_removed",
        before=columns(ID, primary_key=PrimaryKey(["id"], rely=True)),
        after=columns(ID, primary_key=["id"]),
        plan="""
- primary_key: pk_dev_silver_orders__id (id) rely -> (absent)
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
""",
        commits=2,
    ),
)
