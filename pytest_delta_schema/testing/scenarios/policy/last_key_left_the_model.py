"""When the last key leaves, the record goes with it."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, table_properties={"team": "core"})
after = columns(ID)
theirs = {"nightly": "yes"}
policy = PropertyPolicy(keeps_record=True)

plan = """
- properties.pytest_delta_schema.ownedProperties: '["team"]' -> (absent)
- properties.team: 'core' -> (absent)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('pytest_delta_schema.ownedProperties', 'team');
"""

commits = 1
