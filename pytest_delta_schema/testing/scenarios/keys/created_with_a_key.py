"""Created with a key."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(ID, column("b", is_nullable=False), primary_key=["b", "id"])

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 2 columns
+ columns.id: (absent) -> bigint not null
+ columns.b: (absent) -> bigint not null
+ primary_key: (absent) -> pk_dev_silver_orders__b_id (b, id)
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `b` BIGINT NOT NULL
)
USING DELTA;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__b_id` PRIMARY KEY (`b`, `id`);
"""

commits = 2
