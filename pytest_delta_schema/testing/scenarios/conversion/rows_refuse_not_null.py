"""Rows are NULL where the model says NOT NULL: nothing is converted."""

from pytest_delta_schema.testing.parts import *

before = None
parquet = columns(column("id"), column("n"))
after = columns(column("id"), column("n", is_nullable=False), convert_from="parquet")
rows = ({"id": 1, "n": None}, {"id": 2, "n": 3})

plan = """
~ format: parquet -> delta
~ columns.n: nullable -> not null
"""

sql = """
CONVERT TO DELTA `dev`.`silver`.`orders`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET NOT NULL;
"""

refused = ("DS301",)
