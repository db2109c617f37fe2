"""Check added to an empty table."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, checks=[Check("positive", "id > 0")])

plan = """
+ checks.positive: (absent) -> id > 0
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 0);
"""

commits = 1
