"""Check replaced over rows that break the new one."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, checks=[Check("positive", "id > 0")])
after = columns(ID, checks=[Check("positive", "id > 1")])
rows = ({"id": 1},)

plan = """
~ checks.positive: id > 0 -> id > 1
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 1);
"""

refused = ("DS302",)
commits = 0
