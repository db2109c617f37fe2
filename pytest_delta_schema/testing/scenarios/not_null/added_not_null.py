"""Added NOT NULL."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, column("b", is_nullable=False))

plan = """
+ columns.b: (absent) -> bigint not null
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `b` BIGINT NOT NULL
);
"""

refused = ("DS201",)
commits = 0
