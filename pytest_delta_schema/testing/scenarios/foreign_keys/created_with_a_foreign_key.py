"""Created with a foreign key."""

from pytest_delta_schema.testing.parts import *

before = None
after = child(TO_PARENT)
others = ((parent(), ()),)

plan = """
+ table: (absent) -> created with 3 columns
+ columns.id: (absent) -> bigint not null
+ columns.parent: (absent) -> bigint
+ columns.region: (absent) -> string
+ foreign_keys.fk_dev_silver_orders__parent: (absent) -> (parent) references dev.silver.parents (id)
"""

sql = """
CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `parent` BIGINT,
  `region` STRING
)
USING DELTA;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__parent` FOREIGN KEY (`parent`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

commits = 2
