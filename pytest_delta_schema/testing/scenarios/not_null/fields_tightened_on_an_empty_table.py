"""Fields tightened on an empty table."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("s", PLACE))
after = columns(ID, Column("s", PLACE_STRICT))

plan = """
~ columns.s.geo.lat: nullable -> not null
~ columns.s.name: nullable -> not null
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`geo`.`lat` SET NOT NULL,
  `s`.`name` SET NOT NULL;
"""

commits = 1
