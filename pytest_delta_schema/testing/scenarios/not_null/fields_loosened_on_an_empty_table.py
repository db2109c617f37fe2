"""Fields loosened on an empty table."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("s", PLACE_STRICT))
after = columns(ID, Column("s", PLACE))

plan = """
~ columns.s.geo.lat: not null -> nullable
~ columns.s.name: not null -> nullable
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`geo`.`lat` DROP NOT NULL,
  `s`.`name` DROP NOT NULL;
"""

commits = 1
