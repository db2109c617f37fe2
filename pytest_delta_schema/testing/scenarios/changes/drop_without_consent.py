"""Drop without consent."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("legacy"), table_properties=MAPPED)
after = columns(ID, comment="New")
rows = ({"id": 1, "legacy": 5},)

plan = """
- columns.legacy: bigint -> (not in the model)
~ comment: '' -> 'New'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New';
"""

refused = ("DS206",)
