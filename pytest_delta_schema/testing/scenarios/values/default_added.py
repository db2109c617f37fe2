"""A default comes to a column that is there, and rows keep what they hold."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("n"))
after = columns(ID, column("n", default=3))
rows = ({"id": 1, "n": None}, {"id": 2, "n": 7})

plan = """
+ properties.delta.feature.allowColumnDefaults: (absent) -> 'supported'
+ columns.n.default: (absent) -> 3
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.feature.allowColumnDefaults' = 'supported'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 3;
"""

commits = 2
left = ({"id": 1, "n": None}, {"id": 2, "n": 7})
