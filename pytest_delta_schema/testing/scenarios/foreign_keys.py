"""Foreign keys: created, added, and changed together with the key of their parent."""

from __future__ import annotations

from pytest_delta_schema import Check, Column, ForeignKey, PrimaryKey
from pytest_delta_schema.testing.scenario import (
    ID,
    MAPPED,
    TEXT,
    TO_PARENT,
    Scenario,
    child,
    column,
    columns,
    parent,
    pointing_at_orders,
)

FOREIGN_KEYS: tuple[Scenario, ...] = (
    Scenario(
        name="foreign_keys/created_with_a_foreign_key",
        before=None,
        after=child(TO_PARENT),
        other_tables=((parent(), ()),),
        plan="""
+ table: (absent) -> created with 3 columns
+ columns.id: (absent) -> bigint not null
+ columns.parent: (absent) -> bigint
+ columns.region: (absent) -> string
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
""",
        sql="""
CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `parent` BIGINT,
  `region` STRING
)
USING DELTA;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        commits=2,
    ),
    Scenario(
        name="foreign_keys/foreign_key_added_over_orphans",
        before=child(),
        after=child(TO_PARENT),
        rows=({"id": 1, "parent": 7}, {"id": 2, "parent": 9}, {"id": 3, "parent": 9}),
        other_tables=((parent(), ({"id": 7, "region": "a"},)),),
        plan="""
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        refused_by=("DS304",),
        commits=0,
    ),
    Scenario(
        name="foreign_keys/foreign_key_added_over_rows_with_parents_or_null",
        before=child(),
        after=child(TO_PARENT),
        rows=({"id": 1, "parent": 7}, {"id": 2, "parent": None}, {"id": 3, "parent": 7}),
        other_tables=((parent(), ({"id": 7, "region": "a"}, {"id": 8, "region": "a"})),),
        plan="""
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        commits=1,
    ),
    Scenario(
        name="foreign_keys/foreign_key_added_to_an_empty_table",
        before=child(),
        after=child(TO_PARENT),
        other_tables=((parent(), ()),),
        plan="""
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        commits=1,
    ),
    Scenario(
        name="foreign_keys/foreign_key_on_a_new_column",
        before=child(),
        after=columns(
            ID, column("parent"), Column("region", TEXT), column("next"), foreign_keys=[ForeignKey(["next"], parent())]
        ),
        rows=({"id": 1},),
        other_tables=((parent(), ()),),
        plan="""
+ columns.next: (absent) -> bigint
+ foreign_keys.fk_dev_silver_orders__next: (absent) -> (next) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `next` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__next` FOREIGN KEY (`next`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        commits=2,
    ),
    Scenario(
        name="foreign_keys/foreign_key_on_a_name_with_special_characters",
        before=columns(column("${x}`'"), table_properties=MAPPED),
        after=columns(column("${x}`'"), table_properties=MAPPED, foreign_keys=[ForeignKey(["${X}`'"], parent())]),
        rows=({"${x}`'": 7},),
        other_tables=((parent(), ({"id": 7, "region": "a"},)),),
        plan="""
+ foreign_keys.fk_dev_silver_orders__${x}`': (absent) -> (${X}`') references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__${x}``'` FOREIGN KEY (`${X}``'`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        commits=1,
    ),
    Scenario(
        name="foreign_keys/foreign_key_on_two_columns_added_over_orphans",
        before=child(),
        after=child(ForeignKey(["region", "parent"], "dev.silver.parents", ["region", "id"])),
        rows=(
            {"id": 1, "parent": 7, "region": "a"},
            {"id": 2, "parent": 7, "region": "b"},
            {"id": 3, "parent": 7, "region": None},
        ),
        other_tables=((parent("id", "region"), ({"id": 7, "region": "a"},)),),
        plan="""
+ foreign_keys.fk_dev_silver_orders__region_parent: (absent) -> (region, parent) references dev.silver.parents (region, id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__region_parent` FOREIGN KEY (`region`, `parent`) REFERENCES `dev`.`silver`.`parents` (`region`, `id`);
""",
        refused_by=("DS304",),
        commits=0,
    ),
    Scenario(
        name="foreign_keys/foreign_key_to_its_own_table",
        before=child(),
        after=child(ForeignKey(["parent"], "dev.silver.orders"), primary_key=["id"]),
        rows=({"id": 1, "parent": None}, {"id": 2, "parent": 1}),
        plan="""
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.orders
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`orders`;
""",
        commits=2,
    ),
)


FOREIGN_KEYS_CHANGED: tuple[Scenario, ...] = (
    Scenario(
        name="foreign_keys/referenced_primary_key_dropped",
        before=columns(ID, column("parent"), Column("region", TEXT), primary_key=["id"]),
        after=columns(ID, column("parent"), Column("region", TEXT)),
        other_tables=((pointing_at_orders(), ()),),
        plan="""
- foreign_keys.fk_dev_silver_lines__id: (id) references dev.silver.orders (id) -> (absent)
+ foreign_keys.fk_dev_silver_lines__id: (absent) -> (id) references dev.silver.orders (id)
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`lines` DROP CONSTRAINT `fk_dev_silver_lines__id`;

ALTER TABLE `dev`.`silver`.`lines` ADD CONSTRAINT `fk_dev_silver_lines__id` FOREIGN KEY (`id`) REFERENCES `dev`.`silver`.`orders` (`id`);

ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;
""",
        refused_by=("DS209",),
        commits=0,
    ),
    Scenario(
        name="foreign_keys/every_violation_of_rows_is_reported",
        before=child(),
        after=columns(
            ID,
            column("parent", is_nullable=False),
            Column("region", TEXT),
            primary_key=["id"],
            checks=[Check("small", "id < 3")],
            foreign_keys=[TO_PARENT],
        ),
        rows=({"id": 1, "parent": None}, {"id": 3, "parent": 9}, {"id": 3, "parent": 7}),
        other_tables=((parent(), ({"id": 7, "region": "a"},)),),
        plan="""
~ columns.parent: nullable -> not null
+ checks.small: (absent) -> id < 3
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `parent` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (id < 3);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        refused_by=("DS301", "DS302", "DS303", "DS304"),
        commits=0,
    ),
    Scenario(
        name="foreign_keys/rely_added_over_rows_with_parents",
        before=child(TO_PARENT),
        after=child(ForeignKey(["parent"], parent(), rely=True)),
        rows=({"id": 1, "parent": 7},),
        other_tables=((parent(), ({"id": 7, "region": "a"},)),),
        plan="""
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id) rely
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`) RELY;
""",
        commits=2,
    ),
    Scenario(
        name="foreign_keys/rely_added_over_rows_without_parents",
        before=child(TO_PARENT),
        after=child(ForeignKey(["parent"], parent(), rely=True)),
        rows=({"id": 1, "parent": 8},),
        other_tables=((parent(), ({"id": 7, "region": "a"},)),),
        plan="""
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id) rely
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`) RELY;
""",
        refused_by=("DS304",),
        commits=0,
    ),
    Scenario(
        name="foreign_keys/referenced_primary_key_gets_rely",
        before=columns(ID, column("parent"), Column("region", TEXT), primary_key=["id"]),
        after=columns(ID, column("parent"), Column("region", TEXT), primary_key=PrimaryKey(["id"], rely=True)),
        other_tables=((pointing_at_orders(), ()),),
        plan="""
- foreign_keys.fk_dev_silver_lines__id: (id) references dev.silver.orders (id) -> (absent)
+ foreign_keys.fk_dev_silver_lines__id: (absent) -> (id) references dev.silver.orders (id)
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
+ primary_key: (absent) -> pk_dev_silver_orders__id (id) rely
""",
        sql="""
ALTER TABLE `dev`.`silver`.`lines` DROP CONSTRAINT `fk_dev_silver_lines__id`;

ALTER TABLE `dev`.`silver`.`lines` ADD CONSTRAINT `fk_dev_silver_lines__id` FOREIGN KEY (`id`) REFERENCES `dev`.`silver`.`orders` (`id`);

ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`) RELY;
""",
        commits=2,
    ),
    Scenario(
        name="foreign_keys/foreign_key_changed_on_an_empty_table",
        before=child(TO_PARENT),
        after=child(ForeignKey(["id"], parent(), name="fk_dev_silver_orders__parent")),
        other_tables=((parent(), ()),),
        plan="""
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (id) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`id`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        commits=2,
    ),
    Scenario(
        name="foreign_keys/foreign_key_changed_over_orphans_of_the_new_one",
        before=child(TO_PARENT),
        after=child(ForeignKey(["id"], parent(), name="fk_dev_silver_orders__parent")),
        rows=({"id": 1, "parent": 7},),
        other_tables=((parent(), ({"id": 7, "region": "a"},)),),
        plan="""
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (id) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`id`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        refused_by=("DS304",),
        commits=0,
    ),
    Scenario(
        name="foreign_keys/foreign_key_dropped_from_an_empty_table",
        before=child(TO_PARENT),
        after=child(),
        other_tables=((parent(), ()),),
        plan="""
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;
""",
        commits=1,
    ),
    Scenario(
        name="foreign_keys/foreign_key_dropped_over_rows",
        before=child(TO_PARENT),
        after=child(),
        rows=({"id": 1, "parent": 7},),
        other_tables=((parent(), ()),),
        plan="""
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;
""",
        commits=1,
    ),
    Scenario(
        name="foreign_keys/foreign_key_on_a_column_of_another_type",
        before=child(),
        after=child(ForeignKey(["region"], "dev.silver.parents", ["id"])),
        other_tables=((parent(), ()),),
        plan="""
+ foreign_keys.fk_dev_silver_orders__region: (absent) -> (region) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__region` FOREIGN KEY (`region`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        refused_by=("DS209",),
        commits=0,
    ),
    Scenario(
        name="foreign_keys/foreign_key_renamed",
        before=child(TO_PARENT),
        after=child(ForeignKey(["parent"], parent(), name="to_parent")),
        rows=({"id": 1, "parent": 7},),
        other_tables=((parent(), ({"id": 7, "region": "a"},)),),
        plan="""
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
+ foreign_keys.to_parent: (absent) -> (parent) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `to_parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        commits=2,
    ),
    Scenario(
        name="foreign_keys/foreign_key_to_a_missing_table",
        before=child(),
        after=child(ForeignKey(["parent"], "dev.silver.nowhere", ["id"])),
        plan="""
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.nowhere (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`nowhere` (`id`);
""",
        refused_by=("DS209",),
        commits=0,
    ),
    Scenario(
        name="foreign_keys/foreign_key_to_a_table_with_another_primary_key",
        before=child(),
        after=child(ForeignKey(["parent"], "dev.silver.parents", ["id"])),
        other_tables=((parent("region"), ()),),
        plan="""
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
""",
        refused_by=("DS209",),
        commits=0,
    ),
)
