"""Renamed without column mapping."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("old"))
after = columns(ID, column("new", renamed_from="old"))
rows = ({"id": 1, "old": 2},)

plan = """
~ columns.old: old -> new (renamed)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `new`;
"""

refused = ("DS211",)
commits = 0
without = ("delta.columnMapping.mode",)
