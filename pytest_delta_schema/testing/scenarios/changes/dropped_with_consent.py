"""Dropped with consent."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("legacy"), table_properties=MAPPED)
after = columns(ID, table_properties=MAPPED)
rows = ({"id": 1, "legacy": 5},)
consents = (DROP,)

plan = """
- columns.legacy: bigint -> (not in the model)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
"""
