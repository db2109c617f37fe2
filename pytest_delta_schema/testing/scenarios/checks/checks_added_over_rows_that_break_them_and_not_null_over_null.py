"""Checks added over rows that break them, and NOT NULL over NULL."""

from pytest_delta_schema.testing.parts import *

before = columns(column(), column("b"))
after = columns(ID, column("b"), checks=[Check("positive", "id > 0"), Check("small", "b < 10")])
rows = ({"id": None, "b": 1}, {"id": 2, "b": None}, {"id": -3, "b": 10})

plan = """
~ columns.id: nullable -> not null
+ checks.positive: (absent) -> id > 0
+ checks.small: (absent) -> b < 10
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 0);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (b < 10);
"""

refused = ("DS301", "DS302", "DS302")
commits = 0
