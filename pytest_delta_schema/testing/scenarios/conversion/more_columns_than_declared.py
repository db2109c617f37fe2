"""Files hold a column that the model lacks: it is dropped only with consent and column mapping."""

from pytest_delta_schema.testing.parts import *

before = None
parquet = columns(column("id"), column("legacy"))
after = columns(column("id"), convert_from="parquet")
rows = ({"id": 1, "legacy": 2},)

plan = """
~ format: parquet -> delta
- columns.legacy: bigint -> (not in the model)
"""

sql = """
CONVERT TO DELTA `dev`.`silver`.`orders`;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
"""

refused = ("DS206", "DS207")
