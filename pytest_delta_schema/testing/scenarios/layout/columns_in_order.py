"""The order of columns is enforced by the fewest moves, one a statement."""

from pytest_delta_schema.testing.parts import *

before = columns(column("a"), column("b"), column("c"), column("d"), column("e"))
after = columns(column("e"), column("a"), column("c"), column("B"), column("d"), column_order="enforce")
rows = ({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5},)

plan = """
~ columns.e.order: behind d -> first
~ columns.b.order: behind a -> behind c
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `e` FIRST;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `b` AFTER `c`;
"""

commits = 2
left = ({"e": 5, "a": 1, "c": 3, "b": 2, "d": 4},)
