"""Loosened over rows."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b", is_nullable=False))
after = columns(ID, column("b"))
rows = ({"id": 1, "b": 1},)

plan = """
~ columns.b: not null -> nullable
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` DROP NOT NULL;
"""

commits = 1
