"""A key that the model has set is removed when it leaves the model; what others set is left alone."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, table_properties={"team": "core", "tier": "1", "delta.appendOnly": "false"})
after = columns(ID, table_properties={"tier": "2", "new": "x"})
theirs = {"nightly": "yes"}
policy = PropertyPolicy(keeps_record=True)

plan = """
+ properties.new: (absent) -> 'x'
~ properties.pytest_delta_schema.ownedProperties: '["delta.appendOnly", "team", "tier"]' -> '["new", "tier"]'
~ properties.tier: '1' -> '2'
- properties.delta.appendOnly: 'false' -> (absent)
- properties.team: 'core' -> (absent)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'new' = 'x',
  'pytest_delta_schema.ownedProperties' = '["new", "tier"]',
  'tier' = '2'
);

ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('delta.appendOnly', 'team');
"""

commits = 2
