"""Foreign key added to an empty table."""

from pytest_delta_schema.testing.parts import *

before = child()
after = child(TO_PARENT)
others = ((parent(), ()),)

plan = """
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

commits = 1
