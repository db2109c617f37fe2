"""Dropped with consent, column mapping on the way."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("legacy"))
after = columns(ID, table_properties=MAPPED)
rows = ({"id": 1, "legacy": 5},)
consents = (DROP,)

plan = """
+ properties.delta.columnMapping.mode: (absent) -> 'name'
- columns.legacy: bigint -> (not in the model)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name'
);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
"""
without = ("delta.columnMapping.mode",)
