"""Key over an odd name."""

from pytest_delta_schema.testing.parts import *

before = columns(column("${x}`'", is_nullable=False), table_properties=MAPPED)
after = columns(column("${x}`'", is_nullable=False), table_properties=MAPPED, primary_key=["${X}`'"])

plan = """
+ primary_key: (absent) -> pk_dev_silver_orders__${x}`' (${X}`')
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__${x}``'` PRIMARY KEY (`${X}``'`);
"""

commits = 1
