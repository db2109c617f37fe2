"""Properties set, changed and unset."""

from pytest_delta_schema.testing.parts import *

before = columns(column(), table_properties={"a": "1", "b": "1", "Case": "x", "kept": "1"})
after = columns(column(), table_properties={"a": "2", "b": None, "case": "y", "c": True})

plan = """
~ properties.a: '1' -> '2'
+ properties.c: (absent) -> 'true'
+ properties.case: (absent) -> 'y'
- properties.b: '1' -> (absent)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'a' = '2',
  'c' = 'true',
  'case' = 'y'
);

ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('b');
"""
