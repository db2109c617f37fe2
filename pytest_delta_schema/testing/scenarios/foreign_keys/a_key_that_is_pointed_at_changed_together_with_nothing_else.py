"""A key that is pointed at, changed together with nothing else."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("parent"), Column("region", TEXT), primary_key=["id"])
after = columns(ID, column("parent"), Column("region", TEXT))
others = ((pointing_at_orders(), ()),)

plan = """
- foreign_keys.fk_dev_silver_lines__id: (id) references dev.silver.orders (id) -> (absent)
+ foreign_keys.fk_dev_silver_lines__id: (absent) -> (id) references dev.silver.orders (id)
- primary_key: pk_dev_silver_orders__id (id) -> (absent)
"""

sql = """
ALTER TABLE `dev`.`silver`.`lines` DROP CONSTRAINT `fk_dev_silver_lines__id`;

ALTER TABLE `dev`.`silver`.`lines` ADD CONSTRAINT `fk_dev_silver_lines__id` FOREIGN KEY (`id`) REFERENCES `dev`.`silver`.`orders` (`id`);

ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`;
"""

refused = ("DS209",)
commits = 0
