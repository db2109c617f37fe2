"""Tags of tables and columns."""

from __future__ import annotations

from pytest_delta_schema import Column
from pytest_delta_schema.testing.parts import BOTH, ID, TEXT, column, columns
from pytest_delta_schema.testing.scenario import Scenario

TAGS: tuple[Scenario, ...] = (
    Scenario(
        name="tags/created_with_tags",
        description="A tag without a value has an empty string as value.",
        before=None,
        after=columns(
            column("id", is_nullable=False, tags={"key": ""}),
            Column("mail", TEXT, tags={"pii": "", "owner": "it's ours"}),
            Column("note", TEXT, tags={"pii": None}),
            primary_key=["id"],
            tags={"team": "sales", "Team": "other", "retired": None},
        ),
        plan="""
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
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
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
""",
        commits=5,
    ),
    Scenario(
        name="tags/tags_reported",
        description="A contract that only reports tags adds no column because of its tags.",
        before=columns(ID, column("n", tags={"level": "1"}), tags={"team": "them"}),
        after=columns(
            ID,
            column("n", comment="New", tags={"level": "2"}),
            column("more", tags={"level": "3"}),
            tags={"team": None},
            owns={"tags": "report", "columns": "ignore"},
        ),
        rows=({"id": 1, "n": 2},),
        plan="""
~ columns.n.comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'New';
""",
        reported="""
- tags.team: 'them' -> (absent)
~ columns.n.tags.level: '1' -> '2'
+ columns.more.tags.level: (absent) -> '3'
""",
        commits=1,
    ),
    Scenario(
        name="tags/nothing_to_do",
        description="Tags that others set are not drift.",
        before=columns(column("Id", tags={"key": "", "theirs": "x"}), tags={"team": "sales", "theirs": "y"}),
        after=columns(column("Id", tags={"key": "", "never": None}), tags={"team": "sales"}),
        plan="""
""",
        sql="""
""",
        commits=0,
    ),
    Scenario(
        name="tags/tags_of_a_renamed_column",
        description="The tags are set again under the new name. Tags declared absent are unset under the old name.",
        before=columns(ID, Column("mail", TEXT, tags={"pii": "", "old": "x"}), table_properties=BOTH),
        after=columns(
            ID, Column("address", TEXT, renamed_from="mail", tags={"pii": "", "old": None}), table_properties=BOTH
        ),
        rows=({"id": 1, "mail": "a"},),
        plan="""
- columns.mail.tags.old: 'x' -> (absent)
~ columns.mail: mail -> address (renamed)
+ columns.address.tags.pii: (absent) -> ''
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `mail` UNSET TAGS ('old');

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `mail` TO `address`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `address` SET TAGS (
  'pii' = ''
);
""",
        commits=3,
        rows_after=({"id": 1, "address": "a"},),
    ),
    Scenario(
        name="tags/tags_of_added_and_dropped_columns",
        description="A new column is tagged after it is added. The tags of a dropped column are dropped with it.",
        before=columns(ID, Column("mail", TEXT, tags={"pii": ""}), table_properties=BOTH, tags={"team": "sales"}),
        after=columns(ID, Column("phone", TEXT, tags={"pii": "yes"}), table_properties=BOTH, tags={"team": "sales"}),
        rows=({"id": 1, "mail": "a"},),
        consents=("drop-column dev.silver.orders.mail",),
        plan="""
+ columns.phone: (absent) -> string
- columns.mail: string -> (not in the model)
+ columns.phone.tags.pii: (absent) -> 'yes'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `phone` STRING
);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`mail`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `phone` SET TAGS (
  'pii' = 'yes'
);
""",
        commits=3,
    ),
    Scenario(
        name="tags/tags_set_changed_and_unset",
        description="Case counts in keys of tags and not in names of columns. Undeclared tags are kept.",
        before=columns(
            ID,
            Column("Mail", TEXT, tags={"pii": "", "theirs": "x", "level": "1"}),
            tags={"team": "sales", "retired": "yes", "theirs": "y", "same": "z"},
        ),
        after=columns(
            ID,
            Column("mail", TEXT, tags={"pii": None, "PII": "", "level": "2"}),
            tags={"team": "orders", "retired": None, "never": None, "same": "z"},
        ),
        rows=({"id": 1, "mail": "a"},),
        plan="""
- tags.retired: 'yes' -> (absent)
- columns.Mail.tags.pii: '' -> (absent)
~ tags.team: 'sales' -> 'orders'
+ columns.Mail.tags.PII: (absent) -> ''
~ columns.Mail.tags.level: '1' -> '2'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` UNSET TAGS ('retired');

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `Mail` UNSET TAGS ('pii');

ALTER TABLE `dev`.`silver`.`orders` SET TAGS (
  'team' = 'orders'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `Mail` SET TAGS (
  'PII' = '',
  'level' = '2'
);
""",
        commits=4,
    ),
)
