"""Key added over rows that share it, and everything else that rows break."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b"), column("c", is_nullable=False))
after = columns(
    ID,
    column("b", is_nullable=False),
    column("c", is_nullable=False),
    primary_key=["id", "c"],
    checks=[Check("small", "c < 2")],
)
rows = ({"id": 1, "b": 1, "c": 1}, {"id": 1, "c": 1}, {"id": 1, "b": 1, "c": 1}, {"id": 1, "b": 1, "c": 2})

plan = """
~ columns.b: nullable -> not null
+ checks.small: (absent) -> c < 2
+ primary_key: (absent) -> pk_dev_silver_orders__id_c (id, c)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (c < 2);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_c` PRIMARY KEY (`id`, `c`);
"""

refused = ("DS301", "DS302", "DS303")
commits = 0
