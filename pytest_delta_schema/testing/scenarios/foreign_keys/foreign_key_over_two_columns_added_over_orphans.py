"""Foreign key over two columns, added over orphans."""

from pytest_delta_schema.testing.parts import *

before = child()
after = child(ForeignKey(["region", "parent"], "dev.silver.parents", ["region", "id"]))
rows = (
    {"id": 1, "parent": 7, "region": "a"},
    {"id": 2, "parent": 7, "region": "b"},
    {"id": 3, "parent": 7, "region": None},
)
others = ((parent("id", "region"), ({"id": 7, "region": "a"},)),)

plan = """
+ foreign_keys.fk_dev_silver_orders__region_parent: (absent) -> (region, parent) references dev.silver.parents (region, id)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__region_parent` FOREIGN KEY (`region`, `parent`) REFERENCES `dev`.`silver`.`parents` (`region`, `id`);
"""

refused = ("DS304",)
commits = 0
