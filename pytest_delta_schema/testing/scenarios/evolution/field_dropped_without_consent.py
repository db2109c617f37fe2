"""Field dropped without consent."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("s", struct(field("x"), field("legacy"))), table_properties=MAPPED)
after = columns(ID, Column("s", struct(field("x"))), table_properties=MAPPED)
rows = ({"id": 1, "s": {"x": 1, "legacy": 2}},)

plan = """
- columns.s.legacy: bigint -> (not in the model)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`s`.`legacy`);
"""

refused = ("DS206",)
commits = 0
