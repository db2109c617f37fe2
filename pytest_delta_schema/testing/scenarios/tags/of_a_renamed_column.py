"""A column that is renamed gets its tags once more, and loses those that are to be absent under its old name."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("mail", TEXT, tags={"pii": "", "old": "x"}), table_properties=BOTH)
after = columns(ID, Column("address", TEXT, renamed_from="mail", tags={"pii": "", "old": None}), table_properties=BOTH)
rows = ({"id": 1, "mail": "a"},)

plan = """
- columns.mail.tags.old: 'x' -> (absent)
~ columns.mail: mail -> address (renamed)
+ columns.address.tags.pii: (absent) -> ''
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `mail` UNSET TAGS ('old');

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `mail` TO `address`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `address` SET TAGS (
  'pii' = ''
);
"""

commits = 3
left = ({"id": 1, "address": "a"},)
