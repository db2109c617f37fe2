"""A table and its columns are tagged when they are made; a tag without a value is an empty text."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(
    column("id", is_nullable=False, tags={"key": ""}),
    Column("mail", TEXT, tags={"pii": "", "owner": "it's ours"}),
    Column("note", TEXT, tags={"pii": None}),
    primary_key=["id"],
    tags={"team": "sales", "Team": "other", "retired": None},
)

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 3 columns
+ columns.id: (absent) -> bigint not null
+ columns.mail: (absent) -> string
+ columns.note: (absent) -> string
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
+ tags.Team: (absent) -> 'other'
+ tags.team: (absent) -> 'sales'
+ columns.id.tags.key: (absent) -> ''
+ columns.mail.tags.owner: (absent) -> "it's ours"
+ columns.mail.tags.pii: (absent) -> ''
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `mail` STRING,
  `note` STRING
)
USING DELTA;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);

ALTER TABLE `dev`.`silver`.`orders` SET TAGS (
  'Team' = 'other',
  'team' = 'sales'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `id` SET TAGS (
  'key' = ''
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `mail` SET TAGS (
  'owner' = 'it\\'s ours',
  'pii' = ''
);
"""

commits = 5
