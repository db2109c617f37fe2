"""What the model adds goes behind its own columns, so that those of writers stay last, and stay accepted."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("s", struct(field("x"), field("theirs"))), column("extra"))
after = columns(
    ID, Column("s", struct(field("x"), field("y"), field("z"))), column("a"), column("b"), evolution="additive"
)
rows = ({"id": 1, "s": {"x": 1, "theirs": 2}, "extra": 3},)

plan = """
+ columns.a: (absent) -> bigint
+ columns.b: (absent) -> bigint
+ columns.s.y: (absent) -> bigint
+ columns.s.z: (absent) -> bigint
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `a` BIGINT AFTER `s`,
  `b` BIGINT AFTER `a`,
  `s`.`y` BIGINT AFTER `x`,
  `s`.`z` BIGINT AFTER `y`
);
"""

commits = 1
left = ({"id": 1, "s": {"x": 1, "y": None, "z": None, "theirs": 2}, "a": None, "b": None, "extra": 3},)
