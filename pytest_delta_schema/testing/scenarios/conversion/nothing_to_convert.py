"""Consent to a conversion, and there is no table: it is created."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(column("id"), convert_from="parquet")

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT
)
USING DELTA;
"""
