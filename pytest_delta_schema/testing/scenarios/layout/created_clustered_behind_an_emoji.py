"""A new clustered table, with characters beyond the first 65,536 in front of the clustering."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(ID, column("\U0001f4a5", comment="\U0001f4a5\U0001f4a5"), clustered_by=["\U0001f4a5"])

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 2 columns
+ columns.id: (absent) -> bigint not null
+ columns.\U0001f4a5: (absent) -> bigint
+ layout: (absent) -> clustered by (\U0001f4a5)
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `\U0001f4a5` BIGINT COMMENT '\U0001f4a5\U0001f4a5'
)
USING DELTA
CLUSTER BY (`\U0001f4a5`);
"""
