"""A partition column widens in place."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("d", INT), partitioned_by=["d"], table_properties=WIDENS)
after = columns(ID, column("d"), partitioned_by=["d"], table_properties=WIDENS)
rows = ({"id": 1, "d": 3},)

plan = """
~ columns.d: int -> bigint
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `d` TYPE BIGINT;
"""

commits = 1
