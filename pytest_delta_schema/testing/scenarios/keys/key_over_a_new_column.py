"""Key over a new column."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, column("b", is_nullable=False), primary_key=["id", "b"])

plan = """
+ columns.b: (absent) -> bigint not null
+ primary_key: (absent) -> pk_dev_silver_orders__id_b (id, b)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `b` BIGINT NOT NULL
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id_b` PRIMARY KEY (`id`, `b`);
"""

refused = ("DS201",)
commits = 0
