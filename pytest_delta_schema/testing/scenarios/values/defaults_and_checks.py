"""A default and a check over it come together."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("n"), table_properties={"delta.feature.allowColumnDefaults": "supported"})
after = columns(ID, column("n", default=1), checks=[Check("positive", "n IS NULL OR n > 0")])
rows = ({"id": 1, "n": None}, {"id": 2, "n": 7})

plan = """
+ columns.n.default: (absent) -> 1
+ checks.positive: (absent) -> n IS NULL OR n > 0
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 1;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (n IS NULL OR n > 0);
"""

commits = 2
left = ({"id": 1, "n": None}, {"id": 2, "n": 7})
