"""Key added over NOT NULL."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, primary_key=["id"])

plan = """
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
"""

commits = 1
