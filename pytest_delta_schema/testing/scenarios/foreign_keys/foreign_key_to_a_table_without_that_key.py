"""Foreign key to a table without that key."""

from pytest_delta_schema.testing.parts import *

before = child()
after = child(ForeignKey(["parent"], "dev.silver.parents", ["id"]))
others = ((parent("region"), ()),)

plan = """
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

refused = ("DS209",)
commits = 0
