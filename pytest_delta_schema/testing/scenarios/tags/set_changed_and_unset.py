"""Only the declared tags are compared, those of others stay; case counts in keys, and not in names of columns."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID,
    Column("Mail", TEXT, tags={"pii": "", "theirs": "x", "level": "1"}),
    tags={"team": "sales", "retired": "yes", "theirs": "y", "same": "z"},
)
after = columns(
    ID,
    Column("mail", TEXT, tags={"pii": None, "PII": "", "level": "2"}),
    tags={"team": "orders", "retired": None, "never": None, "same": "z"},
)
rows = ({"id": 1, "mail": "a"},)

plan = """
- tags.retired: 'yes' -> (absent)
- columns.Mail.tags.pii: '' -> (absent)
~ tags.team: 'sales' -> 'orders'
+ columns.Mail.tags.PII: (absent) -> ''
~ columns.Mail.tags.level: '1' -> '2'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` UNSET TAGS ('retired');

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `Mail` UNSET TAGS ('pii');

ALTER TABLE `dev`.`silver`.`orders` SET TAGS (
  'team' = 'orders'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `Mail` SET TAGS (
  'PII' = '',
  'level' = '2'
);
"""

commits = 4
