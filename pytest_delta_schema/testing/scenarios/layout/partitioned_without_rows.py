"""A table without rows is partitioned like any other."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("r", TEXT), column("d", INT))
after = columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"])

consents = (REWRITE,)

plan = """
~ layout: neither partitioned nor clustered -> partitioned by (r)
"""

sql = """
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`r`)
AS SELECT * FROM `dev`.`silver`.`orders`;
"""

commits = 1
