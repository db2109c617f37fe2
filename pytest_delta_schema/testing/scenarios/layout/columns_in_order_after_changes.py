"""New, renamed and dropped columns end in the declared order."""

from pytest_delta_schema.testing.parts import *

before = columns(column("legacy"), column("a"), column("b"), column("old"), table_properties=MAPPED)
after = columns(
    column("new"),
    column("b"),
    column("c", renamed_from="old"),
    column("a"),
    column_order="enforce",
    table_properties=MAPPED,
)
rows = ({"legacy": 0, "a": 1, "b": 2, "old": 3},)
consents = (DROP,)

plan = """
~ columns.old: old -> c (renamed)
+ columns.new: (absent) -> bigint
- columns.legacy: bigint -> (not in the model)
~ columns.new.order: last -> first
~ columns.a.order: behind legacy -> behind c
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `c`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `new` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `new` FIRST;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `a` AFTER `c`;
"""

commits = 5
left = ({"new": None, "b": 2, "c": 3, "a": 1},)
