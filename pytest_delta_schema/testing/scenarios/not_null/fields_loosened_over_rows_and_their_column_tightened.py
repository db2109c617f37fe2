"""Fields loosened over rows, and their column tightened."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("s", PLACE_STRICT))
after = columns(ID, Column("s", PLACE, is_nullable=False))
rows = ({"id": 1, "s": {"name": "a", "geo": {"lat": 1.0, "lon": 2.0}}},)

plan = """
~ columns.s: nullable -> not null
~ columns.s.geo.lat: not null -> nullable
~ columns.s.name: not null -> nullable
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`geo`.`lat` DROP NOT NULL,
  `s`.`name` DROP NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s` SET NOT NULL;
"""

commits = 2
