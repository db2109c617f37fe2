"""Key changed over values that the new one repeats."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b", is_nullable=False), primary_key=["id"])
after = columns(ID, column("b", is_nullable=False), primary_key=["b"])
rows = ({"id": 1, "b": 2}, {"id": 2, "b": 2})

plan = """
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
+ primary_key: (absent) -> pk_dev_silver_orders__b (b)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b` PRIMARY KEY (`b`);
"""

refused = ("DS303",)
commits = 0
