"""A new column is tagged when it is there, and the tags of one that goes go with it."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("mail", TEXT, tags={"pii": ""}), table_properties=BOTH, tags={"team": "sales"})
after = columns(ID, Column("phone", TEXT, tags={"pii": "yes"}), table_properties=BOTH, tags={"team": "sales"})
rows = ({"id": 1, "mail": "a"},)
consents = ("drop-column dev.silver.orders.mail",)

plan = """
+ columns.phone: (absent) -> string
- columns.mail: string -> (not in the model)
+ columns.phone.tags.pii: (absent) -> 'yes'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `phone` STRING
);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`mail`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `phone` SET TAGS (
  'pii' = 'yes'
);
"""

commits = 3
