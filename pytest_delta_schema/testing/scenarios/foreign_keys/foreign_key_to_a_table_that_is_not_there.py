"""Foreign key to a table that is not there."""

from pytest_delta_schema.testing.parts import *

before = child()
after = child(ForeignKey(["parent"], "dev.silver.nowhere", ["id"]))

plan = """
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.nowhere (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`nowhere` (`id`);
"""

refused = ("DS209",)
commits = 0
