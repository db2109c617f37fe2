"""Check renamed."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, checks=[Check("positive", "id > 0")])
after = columns(ID, checks=[Check("above_zero", "ID > 0")])
rows = ({"id": 1},)

plan = """
~ checks.positive: positive -> above_zero (renamed)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `above_zero` CHECK (ID > 0);
"""

commits = 2
