"""Other partitions, with consent: the same rows in one commit."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"])
after = columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d", "r"])
rows = ({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2})
consents = (REWRITE,)

plan = """
~ layout: partitioned by (r) -> partitioned by (d, r)
"""

sql = """
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`d`, `r`)
AS SELECT * FROM `dev`.`silver`.`orders`;
"""

commits = 1
