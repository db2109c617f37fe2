"""Foreign key added over rows with parents, and with none to look for."""

from pytest_delta_schema.testing.parts import *

before = child()
after = child(TO_PARENT)
rows = ({"id": 1, "parent": 7}, {"id": 2, "parent": None}, {"id": 3, "parent": 7})
others = ((parent(), ({"id": 7, "region": "a"}, {"id": 8, "region": "a"})),)

plan = """
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

commits = 1
