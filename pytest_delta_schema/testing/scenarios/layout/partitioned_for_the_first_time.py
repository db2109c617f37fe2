"""A plain table is partitioned."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("r", TEXT), column("d", INT))
after = columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"])
rows = ({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2})
consents = (REWRITE,)

plan = """
~ layout: neither partitioned nor clustered -> partitioned by (d)
"""

sql = """
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`d`)
AS SELECT * FROM `dev`.`silver`.`orders`;
"""

commits = 1
