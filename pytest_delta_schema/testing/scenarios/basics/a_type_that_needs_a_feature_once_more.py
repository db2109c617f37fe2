"""A type that needs a feature, once more."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("first", spark.TimestampNTZType()))
after = columns(
    ID, Column("first", spark.TimestampNTZType()), Column("next", spark.ArrayType(spark.TimestampNTZType()))
)

plan = """
+ columns.next: (absent) -> array<timestamp_ntz>
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `next` ARRAY<TIMESTAMP_NTZ>
);
"""
