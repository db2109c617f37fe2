"""Foreign key over a column of another type."""

from pytest_delta_schema.testing.parts import *

before = child()
after = child(ForeignKey(["region"], "dev.silver.parents", ["id"]))
others = ((parent(), ()),)

plan = """
+ foreign_keys.fk_dev_silver_orders__region: (absent) -> (region) references dev.silver.parents (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__region` FOREIGN KEY (`region`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

refused = ("DS209",)
commits = 0
