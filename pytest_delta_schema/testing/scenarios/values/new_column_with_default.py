"""A new column with a default: Delta adds it without, and the default follows."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, column("n", comment="Number", default="1 + 1"))
rows = ({"id": 1},)

plan = """
+ properties.delta.feature.allowColumnDefaults: (absent) -> 'supported'
+ columns.n: (absent) -> bigint
+ columns.n.default: (absent) -> 1 + 1
~ columns.n.comment: '' -> 'Number'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.feature.allowColumnDefaults' = 'supported'
);

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `n` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 1 + 1;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'Number';
"""

commits = 4
left = ({"id": 1, "n": None},)
