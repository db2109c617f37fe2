"""A model without a required key and with a forbidden one is refused."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, table_properties={"Legacy.owner": "x", "team": None, "Kind": "y"})
policy = PropertyPolicy((("team", "required"), ("tier*", "required"), ("k*", "required"), ("legacy.*", "forbidden")))

plan = """
+ properties.Kind: (absent) -> 'y'
+ properties.Legacy.owner: (absent) -> 'x'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'Kind' = 'y',
  'Legacy.owner' = 'x'
);
"""

refused = ("DS120", "DS120", "DS120")
commits = 0
