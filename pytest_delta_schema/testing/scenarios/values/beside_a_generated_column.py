"""Everything that has nothing to do with a generated column may change beside it, and it may go itself."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID,
    column("a", INT),
    Column("s", struct(field("x", INT), field("y", INT))),
    column("g", INT, generated_as="s.x + a"),
    column("legacy", INT, generated_as="a"),
    table_properties=BOTH,
)
after = columns(
    ID,
    column("a", INT, comment="Kept"),
    Column("s", struct(field("x", INT), field("y", LONG, comment="Wide"), field("z"))),
    column("g2", INT, generated_as="s.x + a", renamed_from="g"),
    table_properties=BOTH,
)
rows = ({"id": 1, "a": 2, "s": {"x": 4, "y": 5}},)
consents = (DROP,)

plan = """
~ columns.g: g -> g2 (renamed)
+ columns.s.z: (absent) -> bigint
~ columns.s.y: int -> bigint
- columns.legacy: int generated always as (a) -> (not in the model)
~ columns.a.comment: '' -> 'Kept'
~ columns.s.y.comment: '' -> 'Wide'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `g` TO `g2`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `s`.`z` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `s`.`y` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` COMMENT 'Kept',
  `s`.`y` COMMENT 'Wide';
"""

commits = 5
left = ({"id": 1, "a": 2, "s": {"x": 4, "y": 5, "z": None}, "g2": 6},)
