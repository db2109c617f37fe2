"""Everything at once."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID,
    Column("a", struct(field("x", INT), field("old", TEXT), field("gone"))),
    column("k", INT),
    table_properties=BOTH,
    checks=[Check("k", "k > 0")],
)
after = columns(
    ID,
    Column("a", struct(field("x", comment="Wide"), field("new", TEXT, renamed_from="old"), field("more", INT))),
    column("key", is_nullable=False, renamed_from="k"),
    column("extra", TEXT),
    comment="All",
    table_properties=BOTH,
    checks=[Check("k", "`key` > 0")],
)
rows = ({"id": 1, "a": {"x": 1, "old": "o", "gone": 5}, "k": 3},)
consents = ("drop-column dev.silver.orders.a.gone",)

plan = """
~ columns.k: k -> key (renamed)
~ columns.a.old: old -> new (renamed)
+ columns.extra: (absent) -> string
+ columns.a.more: (absent) -> int
~ columns.a.x: int -> bigint
~ columns.key: int -> bigint
- columns.a.gone: bigint -> (not in the model)
~ columns.key: nullable -> not null
~ checks.k: k > 0 -> `key` > 0
~ columns.a.x.comment: '' -> 'Wide'
~ comment: '' -> 'All'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `k`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `k` TO `key`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `a`.`old` TO `new`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `extra` STRING,
  `a`.`more` INT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a`.`x` TYPE BIGINT,
  `key` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`a`.`gone`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `key` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `k` CHECK (`key` > 0);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a`.`x` COMMENT 'Wide';

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'All';
"""

commits = 10
left = ({"id": 1, "a": {"x": 1, "new": "o", "more": None}, "key": 3, "extra": None},)
