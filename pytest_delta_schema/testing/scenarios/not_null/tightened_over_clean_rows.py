"""Tightened over clean rows."""

from pytest_delta_schema.testing.parts import *

before = columns(column(), column("b"))
after = columns(ID, column("b"))
rows = ({"id": 1}, {"id": 2, "b": 2})

plan = """
~ columns.id: nullable -> not null
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` SET NOT NULL;
"""

commits = 1
