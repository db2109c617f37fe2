"""Check over a new column, whose NULLs break it."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, column("b"), checks=[Check("small", "b < 10")])
rows = ({"id": 1}, {"id": 2})

plan = """
+ columns.b: (absent) -> bigint
+ checks.small: (absent) -> b < 10
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `b` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (b < 10);
"""

refused = ("DS302",)
commits = 0
