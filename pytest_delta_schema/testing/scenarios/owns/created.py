"""A table that is not there is created whole, whatever the contract owns of it later."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(ID, comment="Ours", table_properties={"team": "us"}, owns={"comments": "match", "properties": "ignore"})

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint not null
+ comment: (absent) -> 'Ours'
+ properties.team: (absent) -> 'us'
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL
)
USING DELTA
COMMENT 'Ours'
TBLPROPERTIES (
  'team' = 'us'
);
"""

commits = 1
