"""Check over a new column of an empty table."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, column("b"), checks=[Check("small", "b < 10")])

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

commits = 2
