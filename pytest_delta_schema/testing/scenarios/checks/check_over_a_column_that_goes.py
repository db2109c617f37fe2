"""Check over a column that goes."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("legacy"), table_properties=MAPPED, checks=[Check("old", "legacy > 0")])
after = columns(ID, table_properties=MAPPED)
rows = ({"id": 1, "legacy": 5},)
consents = (DROP,)

plan = """
- checks.old: legacy > 0 -> (absent, which loosens the table)
- columns.legacy: bigint -> (not in the model)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `old`;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
"""

commits = 2
