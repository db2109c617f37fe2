"""Fields tightened over clean rows."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("s", PLACE))
after = columns(ID, Column("s", PLACE_STRICT))
rows = ({"id": 1, "s": {"name": "a", "geo": {"lat": 1.0, "lon": 2.0}}},)

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
