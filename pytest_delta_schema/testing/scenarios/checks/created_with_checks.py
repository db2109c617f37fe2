"""Created with checks."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(ID, column("b"), checks=[Check("Positive", "id > 0"), Check("small", "b < 10 -- of course")])
rows = ()

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 2 columns
+ columns.id: (absent) -> bigint not null
+ columns.b: (absent) -> bigint
+ checks.Positive: (absent) -> id > 0
+ checks.small: (absent) -> b < 10 -- of course
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `b` BIGINT
)
USING DELTA
TBLPROPERTIES (
  'delta.constraints.positive' = 'id > 0',
  'delta.constraints.small' = 'b < 10 -- of course'
);
"""

commits = 1
