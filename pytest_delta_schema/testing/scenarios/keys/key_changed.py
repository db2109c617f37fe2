"""Key changed."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b", is_nullable=False), primary_key=["id", "b"])
after = columns(ID, column("b", is_nullable=False), primary_key=["b", "id"])

plan = """
- primary_key: pk_dev_silver_orders__id_b (id, b) -> (absent)
+ primary_key: (absent) -> pk_dev_silver_orders__b_id (b, id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id_b`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b_id` PRIMARY KEY (`b`, `id`);
"""

commits = 2
