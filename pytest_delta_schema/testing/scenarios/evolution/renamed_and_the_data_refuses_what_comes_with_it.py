"""Renamed, and the data refuses what comes with it."""

from pytest_delta_schema.testing.parts import *

before = columns(column("old"), Column("s", struct(field("x"))), table_properties=MAPPED)
after = columns(
    column("new", is_nullable=False, renamed_from="old"),
    Column("t", struct(field("y", nullable=False, renamed_from="x")), renamed_from="s"),
    checks=[Check("positive", "new > 0 AND t.y > 0")],
)
rows = ({"old": None, "s": {"x": 1}}, {"old": 1, "s": {"x": None}}, {"old": 0, "s": {"x": 1}})

plan = """
~ columns.old: old -> new (renamed)
~ columns.s: s -> t (renamed)
~ columns.t.x: x -> y (renamed)
~ columns.new: nullable -> not null
~ columns.t.y: nullable -> not null
+ checks.positive: (absent) -> new > 0 AND t.y > 0
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `new`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `s` TO `t`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `t`.`x` TO `y`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `new` SET NOT NULL,
  `t`.`y` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (new > 0 AND t.y > 0);
"""

refused = ("DS301", "DS301", "DS302")
commits = 0
