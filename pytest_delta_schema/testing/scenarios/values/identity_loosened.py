"""An identity column is loosened, which Delta refuses."""

from pytest_delta_schema.testing.parts import *

before = columns(column(is_nullable=False, identity=True), column("a"))
after = columns(column(identity=True), column("a"))
rows = ({"a": 1},)

plan = """
~ columns.id: not null -> nullable
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` DROP NOT NULL;
"""

refused = ("DS215",)
commits = 0
