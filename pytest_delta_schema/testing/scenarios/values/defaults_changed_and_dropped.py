"""Defaults change and go, in one statement."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("a", default=1), column("b", TEXT, default="'x'"), column("c", default=5))
after = columns(ID, column("a", default=2), column("b", TEXT), column("c", default=5))
rows = ({"id": 1}, {"id": 2, "a": 9, "b": None})

plan = """
~ columns.a.default: 1 -> 2
- columns.b.default: 'x' -> (absent)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` SET DEFAULT 2,
  `b` DROP DEFAULT;
"""

commits = 1
left = ({"id": 1, "a": 1, "b": "x", "c": 5}, {"id": 2, "a": 9, "b": None, "c": 5})
