"""A new table, clustered by a column and a field."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(
    ID,
    Column("s", struct(field("A", INT), field("b", TEXT))),
    column("a.b"),
    clustered_by=["ID", "S.a", "a.b"],
    table_properties=MAPPED,
)

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 3 columns
+ columns.id: (absent) -> bigint not null
+ columns.s: (absent) -> struct<A: int, b: string>
+ columns.a.b: (absent) -> bigint
+ layout: (absent) -> clustered by (id, s.A, a.b)
+ properties.delta.columnMapping.mode: (absent) -> 'name'
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `s` STRUCT<`A`: INT, `b`: STRING>,
  `a.b` BIGINT
)
USING DELTA
CLUSTER BY (`id`, `s`.`A`, `a.b`)
TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name'
);
"""

commits = 1
