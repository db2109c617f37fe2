"""Delta's property changed and another unset."""

from pytest_delta_schema.testing.parts import *

before = columns(
    column(),
    table_properties={"delta.appendOnly": "true", "delta.logRetentionDuration": "interval 7 days"},
)
after = columns(column(), table_properties={"delta.appendonly": "false", "delta.LOGRETENTIONDURATION": None})

plan = """
~ properties.delta.appendOnly: 'true' -> 'false'
- properties.delta.logRetentionDuration: 'interval 7 days' -> (absent)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.appendOnly' = 'false'
);

ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('delta.logRetentionDuration');
"""
