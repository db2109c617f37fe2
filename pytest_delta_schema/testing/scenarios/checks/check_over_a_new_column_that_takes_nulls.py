"""Check over a new column that takes NULLs."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, column("b"), checks=[Check("small", "b is null or b < 10")])
rows = ({"id": 1}, {"id": 2})

plan = """
+ columns.b: (absent) -> bigint
+ checks.small: (absent) -> b is null or b < 10
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `b` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `small` CHECK (b is null or b < 10);
"""

commits = 2
