"""Widened without the feature."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b", INT))
after = columns(ID, column("b"))
rows = ({"id": 1, "b": 2},)

plan = """
~ columns.b: int -> bigint
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` TYPE BIGINT;
"""

refused = ("DS208",)
commits = 0
