"""Check dropped."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, checks=[Check("positive", "id > 0")])
after = columns(ID)
rows = ({"id": 1},)

plan = """
- checks.positive: id > 0 -> (absent, which loosens the table)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;
"""

commits = 1
