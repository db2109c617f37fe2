"""Widened, the feature on the way."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("d", spark.DateType()))
after = columns(ID, column("d", spark.TimestampNTZType()), table_properties=WIDENS)

plan = """
+ properties.delta.enableTypeWidening: (absent) -> 'true'
+ properties.delta.feature.timestampNtz: (absent) -> 'supported'
~ columns.d: date -> timestamp_ntz
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.enableTypeWidening' = 'true',
  'delta.feature.timestampNtz' = 'supported'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `d` TYPE TIMESTAMP_NTZ;
"""

commits = 2
