"""Created NOT NULL."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(ID, Column("s", PLACE_STRICT))

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 2 columns
+ columns.id: (absent) -> bigint not null
+ columns.s: (absent) -> struct<name: string not null, geo: struct<lat: double not null, lon: double>>
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `s` STRUCT<`name`: STRING NOT NULL, `geo`: STRUCT<`lat`: DOUBLE NOT NULL, `lon`: DOUBLE>>
)
USING DELTA;
"""

commits = 1
