"""Checks with odd names and text."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("name", spark.StringType()))
after = columns(
    ID,
    Column("name", spark.StringType()),
    checks=[
        Check("it's `odd`", "name <> 'a\\'b;--' OR id = 1"),
        Check("spaced name.dotted", "name LIKE '%😀%' OR id > 0"),
    ],
)
rows = ({"id": 1, "name": "x"},)

plan = r"""
+ checks.it's `odd`: (absent) -> name <> 'a\'b;--' OR id = 1
+ checks.spaced name.dotted: (absent) -> name LIKE '%😀%' OR id > 0
"""

sql = r"""
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `it's ``odd``` CHECK (name <> 'a\'b;--' OR id = 1
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `spaced name.dotted` CHECK (name LIKE '%😀%' OR id > 0);
"""

commits = 2
