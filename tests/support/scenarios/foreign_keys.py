"""Foreign keys: created, added, changed and dropped, over no rows, clean rows and orphans."""

from __future__ import annotations

from pytest_delta_schema import Check, Column, ForeignKey
from support.scenarios.parts import ID, MAPPED, TO_PARENT, child, columns, parent, pointing_at_orders
from support.scenarios.scenario import Scenario
from support.tables import TEXT, column

FOREIGN_KEYS = (
    Scenario(
        name="created with a foreign key",
        before=None,
        after=child(TO_PARENT),
        others=((parent(), ()),),
        plan=(
            "+ table: (absent) -> created with 3 columns",
            "+ columns.id: (absent) -> bigint not null",
            "+ columns.parent: (absent) -> bigint",
            "+ columns.region: (absent) -> string",
            "+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)",
        ),
        sql=(
            "CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (\n  `id` BIGINT NOT NULL,\n  `parent` BIGINT,\n  `region` STRING\n)\nUSING DELTA",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=2,
    ),
    Scenario(
        name="foreign key added to an empty table",
        before=child(),
        after=child(TO_PARENT),
        others=((parent(), ()),),
        plan=("+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=1,
    ),
    Scenario(
        name="foreign key added over rows with parents, and with none to look for",
        before=child(),
        after=child(TO_PARENT),
        rows=({"id": 1, "parent": 7}, {"id": 2, "parent": None}, {"id": 3, "parent": 7}),
        others=((parent(), ({"id": 7, "region": "a"}, {"id": 8, "region": "a"})),),
        plan=("+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=1,
    ),
    Scenario(
        name="foreign key added over orphans",
        before=child(),
        after=child(TO_PARENT),
        rows=({"id": 1, "parent": 7}, {"id": 2, "parent": 9}, {"id": 3, "parent": 9}),
        others=((parent(), ({"id": 7, "region": "a"},)),),
        plan=("+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)",),
        refused=("DS304",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=0,
    ),
    Scenario(
        name="foreign key over two columns, added over orphans",
        before=child(),
        after=child(ForeignKey(["region", "parent"], "dev.silver.parents", ["region", "id"])),
        rows=(
            {"id": 1, "parent": 7, "region": "a"},
            {"id": 2, "parent": 7, "region": "b"},
            {"id": 3, "parent": 7, "region": None},
        ),
        others=((parent("id", "region"), ({"id": 7, "region": "a"},)),),
        plan=(
            "+ foreign_keys.fk_dev_silver_orders__region_parent: (absent) -> (region, parent) references dev.silver.parents (region, id)",
        ),
        refused=("DS304",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__region_parent` FOREIGN KEY (`region`, `parent`) REFERENCES `dev`.`silver`.`parents` (`region`, `id`)",
        ),
        commits=0,
    ),
    Scenario(
        name="foreign key over a new column",
        before=child(),
        after=columns(
            ID, column("parent"), Column("region", TEXT), column("next"), foreign_keys=[ForeignKey(["next"], parent())]
        ),
        rows=({"id": 1},),
        others=((parent(), ()),),
        plan=(
            "+ columns.next: (absent) -> bigint",
            "+ foreign_keys.fk_dev_silver_orders__next: (absent) -> (next) references dev.silver.parents (id)",
        ),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n  `next` BIGINT\n)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__next` FOREIGN KEY (`next`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=2,
    ),
    Scenario(
        name="foreign key dropped from an empty table",
        before=child(TO_PARENT),
        after=child(),
        others=((parent(), ()),),
        plan=("- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`",),
        commits=1,
    ),
    Scenario(
        name="foreign key dropped over rows",
        before=child(TO_PARENT),
        after=child(),
        rows=({"id": 1, "parent": 7},),
        others=((parent(), ()),),
        plan=("- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)",),
        sql=("ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`",),
        commits=1,
    ),
    Scenario(
        name="foreign key renamed",
        before=child(TO_PARENT),
        after=child(ForeignKey(["parent"], parent(), name="to_parent")),
        rows=({"id": 1, "parent": 7},),
        others=((parent(), ({"id": 7, "region": "a"},)),),
        plan=(
            "- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)",
            "+ foreign_keys.to_parent: (absent) -> (parent) references dev.silver.parents (id)",
        ),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `to_parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=2,
    ),
    Scenario(
        name="foreign key changed on an empty table",
        before=child(TO_PARENT),
        after=child(ForeignKey(["id"], parent(), name="fk_dev_silver_orders__parent")),
        others=((parent(), ()),),
        plan=(
            "- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)",
            "+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (id) references dev.silver.parents (id)",
        ),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`id`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=2,
    ),
    Scenario(
        name="foreign key changed over orphans of the new one",
        before=child(TO_PARENT),
        after=child(ForeignKey(["id"], parent(), name="fk_dev_silver_orders__parent")),
        rows=({"id": 1, "parent": 7},),
        others=((parent(), ({"id": 7, "region": "a"},)),),
        plan=(
            "- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)",
            "+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (id) references dev.silver.parents (id)",
        ),
        refused=("DS304",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`id`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=0,
    ),
    Scenario(
        name="foreign key to a table that is not there",
        before=child(),
        after=child(ForeignKey(["parent"], "dev.silver.nowhere", ["id"])),
        plan=("+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.nowhere (id)",),
        refused=("DS209",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`nowhere` (`id`)",
        ),
        commits=0,
    ),
    Scenario(
        name="foreign key to a table without that key",
        before=child(),
        after=child(ForeignKey(["parent"], "dev.silver.parents", ["id"])),
        others=((parent("region"), ()),),
        plan=("+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)",),
        refused=("DS209",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=0,
    ),
    Scenario(
        name="foreign key over a column of another type",
        before=child(),
        after=child(ForeignKey(["region"], "dev.silver.parents", ["id"])),
        others=((parent(), ()),),
        plan=("+ foreign_keys.fk_dev_silver_orders__region: (absent) -> (region) references dev.silver.parents (id)",),
        refused=("DS209",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__region` FOREIGN KEY (`region`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=0,
    ),
    Scenario(
        name="foreign key over an odd name",
        before=columns(column("${x}`'"), table_properties=MAPPED),
        after=columns(column("${x}`'"), table_properties=MAPPED, foreign_keys=[ForeignKey(["${X}`'"], parent())]),
        rows=({"${x}`'": 7},),
        others=((parent(), ({"id": 7, "region": "a"},)),),
        plan=("+ foreign_keys.fk_dev_silver_orders__${x}`': (absent) -> (${X}`') references dev.silver.parents (id)",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__${x}``'` FOREIGN KEY (`${X}``'`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=1,
    ),
    Scenario(
        name="foreign key to the table itself",
        before=child(),
        after=child(ForeignKey(["parent"], "dev.silver.orders"), primary_key=["id"]),
        rows=({"id": 1, "parent": None}, {"id": 2, "parent": 1}),
        plan=(
            "+ primary_key: (absent) -> pk_dev_silver_orders__id (id)",
            "+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.orders",
        ),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`orders`",
        ),
        commits=2,
    ),
    Scenario(
        name="a key that is pointed at, changed together with nothing else",
        before=columns(ID, column("parent"), Column("region", TEXT), primary_key=["id"]),
        after=columns(ID, column("parent"), Column("region", TEXT)),
        others=((pointing_at_orders(), ()),),
        plan=(
            "- foreign_keys.fk_dev_silver_lines__id: (id) references dev.silver.orders (id) -> (absent)",
            "+ foreign_keys.fk_dev_silver_lines__id: (absent) -> (id) references dev.silver.orders (id)",
            "- primary_key: pk_dev_silver_orders__id (id) -> (absent)",
        ),
        refused=("DS209",),
        sql=(
            "ALTER TABLE `dev`.`silver`.`lines` DROP CONSTRAINT `fk_dev_silver_lines__id`",
            "ALTER TABLE `dev`.`silver`.`lines` ADD CONSTRAINT `fk_dev_silver_lines__id` FOREIGN KEY (`id`) REFERENCES `dev`.`silver`.`orders` (`id`)",
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`",
        ),
        commits=0,
    ),
    Scenario(
        name="everything that rows break, in one go",
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
        others=((parent(), ({"id": 7, "region": "a"},)),),
        plan=(
            "~ columns.parent: nullable -> not null",
            "+ checks.small: (absent) -> id < 3",
            "+ primary_key: (absent) -> pk_dev_silver_orders__id (id)",
            "+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)",
        ),
        refused=("DS301", "DS302", "DS303", "DS304"),
        sql=(
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `parent` SET NOT NULL",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (id < 3)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`)",
        ),
        commits=0,
    ),
)
