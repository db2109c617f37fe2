"""Tightened and loosened at once."""

from pytest_delta_schema.testing.parts import *

before = columns(column(), column("b", is_nullable=False))
after = columns(ID, column("b"))
rows = ({"id": 1, "b": 1},)

plan = """
~ columns.b: not null -> nullable
~ columns.id: nullable -> not null
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` DROP NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` SET NOT NULL;
"""

commits = 2
