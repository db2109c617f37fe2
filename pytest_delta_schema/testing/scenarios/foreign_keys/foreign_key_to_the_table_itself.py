"""Foreign key to the table itself."""

from pytest_delta_schema.testing.parts import *

before = child()
after = child(ForeignKey(["parent"], "dev.silver.orders"), primary_key=["id"])
rows = ({"id": 1, "parent": None}, {"id": 2, "parent": 1})

plan = """
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.orders
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`orders`;
"""

commits = 2
