"""Check dropped from an empty table."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, checks=[Check("positive", "id > 0")])
after = columns(ID)

plan = """
- checks.positive: id > 0 -> (absent, which loosens the table)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;
"""

commits = 1
