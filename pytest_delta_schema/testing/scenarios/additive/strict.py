"""The same columns under a strict contract: drift."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("extra"), table_properties=MAPPED)
after = columns(ID, evolution="strict")

plan = "- columns.extra: bigint -> (not in the model)"

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`extra`);
"""

refused = ("DS206",)
