"""Checks added over clean rows."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b"))
after = columns(ID, column("b"), checks=[Check("positive", "id > 0"), Check("small", "coalesce(b, 0) < 10")])
rows = ({"id": 1, "b": None}, {"id": 2, "b": 9})

plan = """
+ checks.positive: (absent) -> id > 0
+ checks.small: (absent) -> coalesce(b, 0) < 10
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 0);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (coalesce(b, 0) < 10);
"""

commits = 2
