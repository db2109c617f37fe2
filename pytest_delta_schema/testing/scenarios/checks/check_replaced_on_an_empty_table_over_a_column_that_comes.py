"""Check replaced on an empty table, over a column that comes."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, checks=[Check("positive", "id > 0")])
after = columns(ID, column("b"), checks=[Check("positive", "b > 0")])

plan = """
+ columns.b: (absent) -> bigint
~ checks.positive: id > 0 -> b > 0
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `b` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (b > 0);
"""

commits = 3
