"""Partitions take the place of clustering."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("r", TEXT), column("d", INT), clustered_by=["d"])
after = columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"])
rows = ({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2})
consents = (REWRITE,)

plan = """
~ layout: clustered by (d) -> partitioned by (r)
"""

sql = """
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`r`)
AS SELECT * FROM `dev`.`silver`.`orders`;
"""

commits = 1
