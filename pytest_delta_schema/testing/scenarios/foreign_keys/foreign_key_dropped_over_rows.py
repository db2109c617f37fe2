"""Foreign key dropped over rows."""

from pytest_delta_schema.testing.parts import *

before = child(TO_PARENT)
after = child()
rows = ({"id": 1, "parent": 7},)
others = ((parent(), ()),)

plan = """
- foreign_keys.fk_dev_silver_orders__parent: (parent) references dev.silver.parents (id) -> (absent)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk_dev_silver_orders__parent`;
"""

commits = 1
