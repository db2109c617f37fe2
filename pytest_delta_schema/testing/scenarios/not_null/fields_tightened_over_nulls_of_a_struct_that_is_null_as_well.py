"""Fields tightened over NULLs, of a struct that is NULL as well."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("s", PLACE))
after = columns(ID, Column("s", PLACE_STRICT), comment="New")
rows = (
    {"id": 1, "s": {"name": "a", "geo": {"lat": None, "lon": 2.0}}},
    {"id": 2, "s": {"name": None, "geo": {"lat": 1.0, "lon": None}}},
    {"id": 3, "s": None},
)

plan = """
~ columns.s.geo.lat: nullable -> not null
~ columns.s.name: nullable -> not null
~ comment: '' -> 'New'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`geo`.`lat` SET NOT NULL,
  `s`.`name` SET NOT NULL;

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New';
"""

refused = ("DS301", "DS301")
commits = 0
