"""Narrowed, with the feature."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("s", struct(field("x"))), table_properties=WIDENS)
after = columns(ID, Column("s", struct(field("x", INT))), comment="New")
rows = ({"id": 1, "s": {"x": 2}},)

plan = """
~ columns.s.x: bigint -> int
~ comment: '' -> 'New'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`x` TYPE INT;

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New';
"""

refused = ("DS208",)
commits = 0
