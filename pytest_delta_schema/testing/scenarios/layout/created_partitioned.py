"""A new table, partitioned; names match without case and are said as declared."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(
    ID, column("Day", spark.DateType()), column("region", TEXT), comment="Parted", partitioned_by=["day", "region"]
)

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 3 columns
+ columns.id: (absent) -> bigint not null
+ columns.Day: (absent) -> date
+ columns.region: (absent) -> string
+ layout: (absent) -> partitioned by (Day, region)
+ comment: (absent) -> 'Parted'
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `Day` DATE,
  `region` STRING
)
USING DELTA
PARTITIONED BY (`Day`, `region`)
COMMENT 'Parted';
"""

commits = 1
