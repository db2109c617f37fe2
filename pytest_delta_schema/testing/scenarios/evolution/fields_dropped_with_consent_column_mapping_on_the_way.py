"""Fields dropped with consent, column mapping on the way."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("l", spark.ArrayType(struct(field("p"), field("legacy")))))
after = columns(ID, Column("l", spark.ArrayType(struct(field("p")))), table_properties=MAPPED)
rows = ({"id": 1, "l": [{"p": 1, "legacy": 2}]},)
consents = ("drop-column dev.silver.orders.l.element.legacy",)

plan = """
+ properties.delta.columnMapping.mode: (absent) -> 'name'
- columns.l.element.legacy: bigint -> (not in the model)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name'
);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`l`.`element`.`legacy`);
"""

commits = 2
left = ({"id": 1, "l": [{"p": 1}]},)
without = ("delta.columnMapping.mode",)
