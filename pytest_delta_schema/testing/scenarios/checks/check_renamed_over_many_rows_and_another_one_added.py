"""Check renamed over many rows, and another one added."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b"), checks=[Check("positive", "id > 0")])
after = columns(ID, column("b"), checks=[Check("above_zero", "id > 0"), Check("small", "id < 10")])
rows = ({"id": 1}, {"id": 2})

plan = """
~ checks.positive: positive -> above_zero (renamed)
+ checks.small: (absent) -> id < 10
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `above_zero` CHECK (id > 0);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (id < 10);
"""

commits = 3
