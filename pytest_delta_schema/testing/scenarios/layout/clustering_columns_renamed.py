"""Renamed clustering columns, a field among them, stay; one more comes with a column of its own."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("s", struct(field("a", INT))), clustered_by=["id", "s.a"], table_properties=MAPPED)
after = columns(
    ID,
    Column("t", struct(field("b", INT, renamed_from="a")), renamed_from="s"),
    column("n", INT),
    clustered_by=["id", "t.b", "n"],
    table_properties=MAPPED,
)
rows = ({"id": 1, "s": {"a": 2}},)

plan = """
~ columns.s: s -> t (renamed)
~ columns.t.a: a -> b (renamed)
+ columns.n: (absent) -> int
~ layout: clustered by (id, t.b) -> clustered by (id, t.b, n)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `s` TO `t`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `t`.`a` TO `b`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `n` INT
);

ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`id`, `t`.`b`, `n`);
"""

commits = 4
left = ({"id": 1, "t": {"b": 2}, "n": None},)
