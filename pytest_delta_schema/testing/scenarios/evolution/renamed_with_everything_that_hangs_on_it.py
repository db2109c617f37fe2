"""Renamed with everything that hangs on it."""

from pytest_delta_schema.testing.parts import *

before = columns(
    column("old"),
    column("p"),
    table_properties=MAPPED,
    checks=[Check("positive", "old > 0 AND p > 0")],
    foreign_keys=[ForeignKey(["p"], parent(), name="fk")],
)
after = columns(
    column("new", is_nullable=False, renamed_from="old"),
    column("to", renamed_from="p"),
    table_properties=MAPPED,
    primary_key=["new"],
    checks=[Check("positive", "new > 0 AND `to` > 0")],
    foreign_keys=[ForeignKey(["to"], parent(), name="fk")],
)
rows = ({"old": 1, "p": 7}, {"old": 2, "p": 7})
others = ((parent(), ({"id": 7, "region": "a"},)),)

plan = """
- foreign_keys.fk: (p) references dev.silver.parents (id) -> (absent)
~ columns.old: old -> new (renamed)
~ columns.p: p -> to (renamed)
~ columns.new: nullable -> not null
~ checks.positive: old > 0 AND p > 0 -> new > 0 AND `to` > 0
+ primary_key: (absent) -> pk_dev_silver_orders__new (new)
+ foreign_keys.fk: (absent) -> (to) references dev.silver.parents (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `fk`;

ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `new`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `p` TO `to`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `new` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (new > 0 AND `to` > 0);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__new` PRIMARY KEY (`new`);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk` FOREIGN KEY (`to`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

commits = 8
left = ({"new": 1, "to": 7}, {"new": 2, "to": 7})
