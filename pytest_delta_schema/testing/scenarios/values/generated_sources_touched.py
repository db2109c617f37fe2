"""What generated columns are made from is renamed, retyped and dropped, which Delta refuses."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID,
    column("a", INT),
    column("legacy", INT),
    Column("s", struct(field("x", INT), field("y", INT))),
    column("g", INT, generated_as="a + legacy"),
    column("h", INT, generated_as="s.x"),
    table_properties=BOTH,
)
after = columns(
    ID,
    column("a"),
    Column("s", struct(field("z", INT, renamed_from="x"), field("y"))),
    column("h", INT, generated_as="s.x"),
    table_properties=BOTH,
)
rows = ({"id": 1, "a": 2, "legacy": 3, "s": {"x": 4, "y": 5}},)
consents = (DROP, "drop-column dev.silver.orders.g")

plan = """
~ columns.s.x: x -> z (renamed)
~ columns.a: int -> bigint
~ columns.s.y: int -> bigint
- columns.g: int generated always as (a + legacy) -> (not in the model)
- columns.legacy: int -> (not in the model)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `s`.`x` TO `z`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` TYPE BIGINT,
  `s`.`y` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`g`, `legacy`);
"""

refused = ("DS215", "DS215", "DS215")
commits = 0
