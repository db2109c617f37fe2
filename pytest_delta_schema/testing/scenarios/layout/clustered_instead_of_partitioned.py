"""Clustering takes the place of partitions."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"])
after = columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r", "d"])
rows = ({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2})
consents = (REWRITE,)

plan = """
~ layout: partitioned by (d) -> clustered by (r, d)
"""

sql = """
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
CLUSTER BY (`r`, `d`)
AS SELECT * FROM `dev`.`silver`.`orders`;
"""

commits = 1
