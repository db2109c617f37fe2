"""A rename and a comment beside a column of writers."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("old"), column("extra"), table_properties=MAPPED)
after = columns(ID, column("new", renamed_from="old", comment="New"), evolution="additive", table_properties=MAPPED)
rows = ({"id": 1, "old": 2, "extra": 3},)

plan = """
~ columns.old: old -> new (renamed)
~ columns.new.comment: '' -> 'New'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `new`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `new` COMMENT 'New';
"""

left = ({"id": 1, "new": 2, "extra": 3},)
