"""Tightened on an empty table."""

from pytest_delta_schema.testing.parts import *

before = columns(column(), column("b"))
after = columns(ID, column("b", is_nullable=False))

plan = """
~ columns.b: nullable -> not null
~ columns.id: nullable -> not null
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` SET NOT NULL,
  `id` SET NOT NULL;
"""

commits = 1
