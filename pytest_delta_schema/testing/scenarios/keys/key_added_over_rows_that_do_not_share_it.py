"""Key added over rows that do not share it."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b", is_nullable=False))
after = columns(ID, column("b", is_nullable=False), primary_key=["id", "b"])
rows = ({"id": 1, "b": 1}, {"id": 1, "b": 2})

plan = """
+ primary_key: (absent) -> pk_dev_silver_orders__id_b (id, b)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_b` PRIMARY KEY (`id`, `b`);
"""

commits = 1
