"""Primary keys."""

from __future__ import annotations

from pytest_delta_schema import Check
from pytest_delta_schema.testing.parts import ID, MAPPED, column, columns
from pytest_delta_schema.testing.scenario import Scenario

PRIMARY_KEYS: tuple[Scenario, ...] = (
    Scenario(
        name="primary_keys/created_with_a_key",
        before=None,
        after=columns(ID, column("b", is_nullable=False), primary_key=["b", "id"]),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 2 columns
+ columns.id: (absent) -> bigint not null
+ columns.b: (absent) -> bigint not null
+ primary_key: (absent) -> pk_dev_silver_orders__b_id (b, id)
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `b` BIGINT NOT NULL
)
USING DELTA;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b_id` PRIMARY KEY (`b`, `id`);
""",
        commits=2,
    ),
    Scenario(
        name="primary_keys/key_on_columns_set_not_null_that_hold_null",
        before=columns(column(), column("b")),
        after=columns(ID, column("b"), primary_key=["id"]),
        rows=({"id": 1}, {"id": None}, {"id": None}),
        plan="""
~ columns.id: nullable -> not null
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
""",
        refused_by=("DS301",),
        commits=0,
    ),
    Scenario(
        name="primary_keys/key_on_a_not_null_column",
        before=columns(ID),
        after=columns(ID, primary_key=["id"]),
        plan="""
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
""",
        commits=1,
    ),
    Scenario(
        name="primary_keys/key_added_over_duplicates",
        before=columns(ID, column("b", is_nullable=False)),
        after=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        rows=({"id": 1, "b": 1}, {"id": 1, "b": 1}, {"id": 1, "b": 2}),
        plan="""
+ primary_key: (absent) -> pk_dev_silver_orders__id_b (id, b)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_b` PRIMARY KEY (`id`, `b`);
""",
        refused_by=("DS303",),
        commits=0,
    ),
    Scenario(
        name="primary_keys/key_added_over_unique_rows",
        before=columns(ID, column("b", is_nullable=False)),
        after=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        rows=({"id": 1, "b": 1}, {"id": 1, "b": 2}),
        plan="""
+ primary_key: (absent) -> pk_dev_silver_orders__id_b (id, b)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_b` PRIMARY KEY (`id`, `b`);
""",
        commits=1,
    ),
    Scenario(
        name="primary_keys/key_added_over_duplicates_with_other_violations",
        before=columns(ID, column("b"), column("c", is_nullable=False)),
        after=columns(
            ID,
            column("b", is_nullable=False),
            column("c", is_nullable=False),
            primary_key=["id", "c"],
            checks=[Check("small", "c < 2")],
        ),
        rows=({"id": 1, "b": 1, "c": 1}, {"id": 1, "c": 1}, {"id": 1, "b": 1, "c": 1}, {"id": 1, "b": 1, "c": 2}),
        plan="""
~ columns.b: nullable -> not null
+ checks.small: (absent) -> c < 2
+ primary_key: (absent) -> pk_dev_silver_orders__id_c (id, c)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (c < 2);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_c` PRIMARY KEY (`id`, `c`);
""",
        refused_by=("DS301", "DS302", "DS303"),
        commits=0,
    ),
    Scenario(
        name="primary_keys/key_changed",
        before=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        after=columns(ID, column("b", is_nullable=False), primary_key=["b", "id"]),
        plan="""
- primary_key: pk_dev_silver_orders__id_b (id, b) -> (absent)
+ primary_key: (absent) -> pk_dev_silver_orders__b_id (b, id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id_b`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b_id` PRIMARY KEY (`b`, `id`);
""",
        commits=2,
    ),
    Scenario(
        name="primary_keys/key_changed_over_unique_rows",
        before=columns(ID, column("b", is_nullable=False), primary_key=["id"]),
        after=columns(ID, column("b", is_nullable=False), primary_key=["b"]),
        rows=({"id": 1, "b": 1}, {"id": 2, "b": 2}),
        plan="""
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
+ primary_key: (absent) -> pk_dev_silver_orders__b (b)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b` PRIMARY KEY (`b`);
""",
        commits=2,
    ),
    Scenario(
        name="primary_keys/key_changed_over_duplicates_of_the_new_one",
        before=columns(ID, column("b", is_nullable=False), primary_key=["id"]),
        after=columns(ID, column("b", is_nullable=False), primary_key=["b"]),
        rows=({"id": 1, "b": 2}, {"id": 2, "b": 2}),
        plan="""
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
+ primary_key: (absent) -> pk_dev_silver_orders__b (b)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b` PRIMARY KEY (`b`);
""",
        refused_by=("DS303",),
        commits=0,
    ),
    Scenario(
        name="primary_keys/key_dropped",
        before=columns(ID, primary_key=["id"]),
        after=columns(ID),
        plan="""
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;
""",
        commits=1,
    ),
    Scenario(
        name="primary_keys/key_and_not_null_dropped_over_rows",
        before=columns(ID, primary_key=["id"]),
        after=columns(column()),
        rows=({"id": 1},),
        plan="""
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
~ columns.id: not null -> nullable
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` DROP NOT NULL;
""",
        commits=2,
    ),
    Scenario(
        name="primary_keys/key_on_a_new_column",
        before=columns(ID),
        after=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        plan="""
+ columns.b: (absent) -> bigint not null
+ primary_key: (absent) -> pk_dev_silver_orders__id_b (id, b)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `b` BIGINT NOT NULL
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_b` PRIMARY KEY (`id`, `b`);
""",
        refused_by=("DS201",),
        commits=0,
    ),
    Scenario(
        name="primary_keys/key_on_a_name_with_special_characters",
        before=columns(column("${x}`'", is_nullable=False), table_properties=MAPPED),
        after=columns(column("${x}`'", is_nullable=False), table_properties=MAPPED, primary_key=["${X}`'"]),
        plan="""
+ primary_key: (absent) -> pk_dev_silver_orders__${x}`' (${X}`')
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__${x}``'` PRIMARY KEY (`${X}``'`);
""",
        commits=1,
    ),
    Scenario(
        name="primary_keys/key_on_a_nullable_column",
        before=columns(column()),
        after=columns(column(), primary_key=["id"]),
        plan="""
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
""",
        refused_by=("DS104",),
        commits=0,
    ),
)
