"""Odd names, created."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(*[column(name) for name in ODD_NAMES], table_properties=MAPPED)

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 12 columns
+ columns.back`tick: (absent) -> bigint
+ columns.quote'quote: (absent) -> bigint
+ columns.double"quote: (absent) -> bigint
+ columns.${x}: (absent) -> bigint
+ columns.emoji 😀: (absent) -> bigint
+ columns.new
line: (absent) -> bigint
+ columns.brack]et: (absent) -> bigint
+ columns.colon::colon: (absent) -> bigint
+ columns.a.b: (absent) -> bigint
+ columns.semi;colon: (absent) -> bigint
+ columns.percent%s: (absent) -> bigint
+ columns.中: (absent) -> bigint
+ properties.delta.columnMapping.mode: (absent) -> 'name'
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `back``tick` BIGINT,
  `quote'quote` BIGINT,
  `double"quote` BIGINT,
  `${x}` BIGINT,
  `emoji 😀` BIGINT,
  `new
line` BIGINT,
  `brack]et` BIGINT,
  `colon::colon` BIGINT,
  `a.b` BIGINT,
  `semi;colon` BIGINT,
  `percent%s` BIGINT,
  `中` BIGINT
)
USING DELTA
TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name'
);
"""
