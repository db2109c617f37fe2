"""A column that may not be NULL is no writer's: every other writer would have to give it."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("extra", is_nullable=False), table_properties=MAPPED)
after = columns(ID, evolution="additive")

plan = "- columns.extra: bigint not null -> (not in the model)"

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`extra`);
"""

refused = ("DS206",)
