"""Ignored keys are others' after the creation, forbidden ones go, and the longest pattern decides."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, table_properties={"tuning.size": "1", "tuning.fixed": "1"})
after = columns(ID, table_properties={"tuning.size": "2", "tuning.fixed": "2", "team": "core"})
theirs = {"legacy.owner": "x", "legacy.kept": "y"}
policy = PropertyPolicy(
    (("TUNING.*", "ignored"), ("tuning.fixed", "managed"), ("legacy.*", "forbidden"), ("legacy.kept", "ignored"))
)

plan = """
+ properties.team: (absent) -> 'core'
~ properties.tuning.fixed: '1' -> '2'
- properties.legacy.owner: 'x' -> (absent)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'team' = 'core',
  'tuning.fixed' = '2'
);

ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('legacy.owner');
"""

commits = 2
