"""Loosened."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b", is_nullable=False))
after = columns(column(), column("b"))
rows = ({"id": 1, "b": 1},)

plan = """
~ columns.b: not null -> nullable
~ columns.id: not null -> nullable
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` DROP NOT NULL,
  `id` DROP NOT NULL;
"""

commits = 1
