"""A renamed partition column takes its partitions along."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("r", TEXT), partitioned_by=["r"], table_properties=MAPPED)
after = columns(ID, column("region", TEXT, renamed_from="r"), partitioned_by=["region"], table_properties=MAPPED)
rows = ({"id": 1, "r": "a"},)

plan = """
~ columns.r: r -> region (renamed)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `r` TO `region`;
"""

commits = 1
left = ({"id": 1, "region": "a"},)
