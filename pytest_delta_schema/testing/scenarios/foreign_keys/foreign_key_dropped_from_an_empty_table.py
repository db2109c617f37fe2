"""Foreign key dropped from an empty table."""

from pytest_delta_schema.testing.parts import *

before = child(TO_PARENT)
after = child()
others = ((parent(), ()),)

plan = """
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;
"""

commits = 1
