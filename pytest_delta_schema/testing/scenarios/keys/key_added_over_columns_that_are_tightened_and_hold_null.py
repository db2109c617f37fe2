"""Key added over columns that are tightened, and hold NULL."""

from pytest_delta_schema.testing.parts import *

before = columns(column(), column("b"))
after = columns(ID, column("b"), primary_key=["id"])
rows = ({"id": 1}, {"id": None}, {"id": None})

plan = """
~ columns.id: nullable -> not null
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
"""

refused = ("DS301",)
commits = 0
