"""Widened under checks."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b", INT), Column("s", struct(field("x", INT))), checks=[Check("b", "b > s.x")])
after = columns(
    ID, column("b"), Column("s", struct(field("x"))), checks=[Check("b", "b > s.x")], table_properties=WIDENS
)
rows = ({"id": 1, "b": 3, "s": {"x": 2}},)

plan = """
+ properties.delta.enableTypeWidening: (absent) -> 'true'
~ columns.b: int -> bigint
~ columns.s.x: int -> bigint
~ checks.b: b > s.x -> b > s.x
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.enableTypeWidening' = 'true'
);

ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `b`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` TYPE BIGINT,
  `s`.`x` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `b` CHECK (b > s.x);
"""

commits = 4
left = ({"id": 1, "b": 3, "s": {"x": 2}},)
