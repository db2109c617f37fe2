"""Key dropped."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, primary_key=["id"])
after = columns(ID)

plan = """
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;
"""

commits = 1
