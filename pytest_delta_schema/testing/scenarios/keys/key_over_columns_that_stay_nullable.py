"""Key over columns that stay nullable."""

from pytest_delta_schema.testing.parts import *

before = columns(column())
after = columns(column(), primary_key=["id"])

plan = """
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
"""

refused = ("DS104",)
commits = 0
