"""Foreign key renamed."""

from pytest_delta_schema.testing.parts import *

before = child(TO_PARENT)
after = child(ForeignKey(["parent"], parent(), name="to_parent"))
rows = ({"id": 1, "parent": 7},)
others = ((parent(), ({"id": 7, "region": "a"},)),)

plan = """
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
+ foreign_keys.to_parent: (absent) -> (parent) references dev.silver.parents (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `to_parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

commits = 2
