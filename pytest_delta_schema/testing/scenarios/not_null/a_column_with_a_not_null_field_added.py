"""A column with a NOT NULL field added."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, Column("s", PLACE_STRICT))

plan = """
+ columns.s: (absent) -> struct<name: string not null, geo: struct<lat: double not null, lon: double>>
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `s` STRUCT<`name`: STRING NOT NULL, `geo`: STRUCT<`lat`: DOUBLE NOT NULL, `lon`: DOUBLE>>
);
"""

refused = ("DS201", "DS201")
commits = 0
