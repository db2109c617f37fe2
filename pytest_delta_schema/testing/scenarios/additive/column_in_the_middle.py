"""A column between the declared ones is no writer's: it is drift, and its drop needs consent."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("inside"), column("last"), table_properties=MAPPED)
after = columns(ID, column("last"), evolution="additive")

plan = "- columns.inside: bigint -> (not in the model)"

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`inside`);
"""

refused = ("DS206",)
