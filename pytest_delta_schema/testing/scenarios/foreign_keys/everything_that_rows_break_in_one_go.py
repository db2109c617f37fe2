"""Everything that rows break, in one go."""

from pytest_delta_schema.testing.parts import *

before = child()
after = columns(
    ID,
    column("parent", is_nullable=False),
    Column("region", TEXT),
    primary_key=["id"],
    checks=[Check("small", "id < 3")],
    foreign_keys=[TO_PARENT],
)
rows = ({"id": 1, "parent": None}, {"id": 3, "parent": 9}, {"id": 3, "parent": 7})
others = ((parent(), ({"id": 7, "region": "a"},)),)

plan = """
~ columns.parent: nullable -> not null
+ checks.small: (absent) -> id < 3
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `parent` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (id < 3);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

refused = ("DS301", "DS302", "DS303", "DS304")
commits = 0
