"""A model without a required key and with a forbidden one is refused."""

from support.parts import *

before = columns(ID)
after = columns(ID, table_properties={"Legacy.owner": "x", "team": None})
policy = PropertyPolicy((("team", "required"), ("tier*", "required"), ("legacy.*", "forbidden")))

plan = """
+ properties.Legacy.owner: (absent) -> 'x'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'Legacy.owner' = 'x'
);
"""

refused = ("DS120", "DS120", "DS120")
commits = 0
