"""Foreign key over an odd name."""

from pytest_delta_schema.testing.parts import *

before = columns(column("${x}`'"), table_properties=MAPPED)
after = columns(column("${x}`'"), table_properties=MAPPED, foreign_keys=[ForeignKey(["${X}`'"], parent())])
rows = ({"${x}`'": 7},)
others = ((parent(), ({"id": 7, "region": "a"},)),)

plan = """
+ foreign_keys.fk_dev_silver_orders__${x}`': (absent) -> (${X}`') references dev.silver.parents (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__${x}``'` FOREIGN KEY (`${X}``'`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

commits = 1
