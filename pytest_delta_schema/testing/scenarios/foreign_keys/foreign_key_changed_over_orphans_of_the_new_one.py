"""Foreign key changed over orphans of the new one."""

from pytest_delta_schema.testing.parts import *

before = child(TO_PARENT)
after = child(ForeignKey(["id"], parent(), name="fk_dev_silver_orders__parent"))
rows = ({"id": 1, "parent": 7},)
others = ((parent(), ({"id": 7, "region": "a"},)),)

plan = """
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (id) references dev.silver.parents (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`id`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

refused = ("DS304",)
commits = 0
