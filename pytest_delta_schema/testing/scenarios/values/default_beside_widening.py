"""A column widens and gets a default that only its new type holds."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("n", INT, default=1), table_properties=WIDENS)
after = columns(ID, column("n", default=3000000000), table_properties=WIDENS)
rows = ({"id": 1},)

plan = """
~ columns.n: int -> bigint
~ columns.n.default: 1 -> 3000000000
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 3000000000;
"""

commits = 2
left = ({"id": 1, "n": 1},)
