"""Foreign key over a new column."""

from pytest_delta_schema.testing.parts import *

before = child()
after = columns(
    ID, column("parent"), Column("region", TEXT), column("next"), foreign_keys=[ForeignKey(["next"], parent())]
)
rows = ({"id": 1},)
others = ((parent(), ()),)

plan = """
+ columns.next: (absent) -> bigint
+ foreign_keys.fk_dev_silver_orders__next: (absent) -> (next) references dev.silver.parents (id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `next` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__next` FOREIGN KEY (`next`) REFERENCES `dev`.`silver`.`parents` (`id`);
"""

commits = 2
