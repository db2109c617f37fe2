"""Type changed."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("b", NESTED))
after = columns(ID, Column("b", spark.StringType()))

plan = """
~ columns.b: struct<lat: double not null, tags: array<string>, by_key: map<string, decimal(9,3)>> -> string
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` TYPE STRING;
"""

refused = ("DS208",)
