"""A new table gets its record in the one commit of its creation."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(ID, table_properties={"team": "core", "gone": None})
policy = PropertyPolicy(keeps_record=True)

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint not null
+ properties.team: (absent) -> 'core'
+ properties.pytest_delta_schema.ownedProperties: (absent) -> '["team"]'
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL
)
USING DELTA
TBLPROPERTIES (
  'team' = 'core',
  'pytest_delta_schema.ownedProperties' = '["team"]'
);
"""

commits = 1
