"""A partition column goes, so the files are written anew before it."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("legacy", INT), column("d", INT), partitioned_by=["legacy"], table_properties=MAPPED)
after = columns(ID, column("d", INT), partitioned_by=["d"], table_properties=MAPPED)
rows = ({"id": 1, "legacy": 2, "d": 3},)
consents = (DROP, REWRITE)

plan = """
~ layout: partitioned by (legacy) -> partitioned by (d)
- columns.legacy: int -> (not in the model)
"""

sql = """
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`d`)
AS SELECT * FROM `dev`.`silver`.`orders`;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
"""

commits = 2
left = ({"id": 1, "d": 3},)
