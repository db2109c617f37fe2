"""Foreign keys that are created and added."""

from __future__ import annotations

from pytest_delta_schema import Column, ForeignKey
from pytest_delta_schema.testing.parts import ID, MAPPED, TEXT, TO_PARENT, child, column, columns, parent
from pytest_delta_schema.testing.scenario import Scenario

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
