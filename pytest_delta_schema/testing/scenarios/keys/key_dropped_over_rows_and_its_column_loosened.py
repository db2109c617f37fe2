"""Key dropped over rows, and its column loosened."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, primary_key=["id"])
after = columns(column())
rows = ({"id": 1},)

plan = """
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
~ columns.id: not null -> nullable
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` DROP NOT NULL;
"""

commits = 2
