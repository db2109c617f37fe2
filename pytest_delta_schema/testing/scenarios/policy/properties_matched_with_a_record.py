"""A contract that only matches properties neither sets nor records any."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("n"), table_properties={"team": "core"})
after = columns(ID, column("n", comment="New"), table_properties={"team": "us"}, owns={"properties": "match"})
policy = PropertyPolicy(keeps_record=True)

plan = """
~ columns.n.comment: '' -> 'New'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'New';
"""

matched = """
~ properties.team: 'core' -> 'us'
"""

commits = 1
