"""Check that the model does not know and nobody owns."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b"), checks=[Check("theirs", "b IS NOT NULL"), Check("ours", "id > 0")])
after = columns(ID, column("b"), checks=[Check("ours", "id > 0")])
rows = ({"id": 1, "b": 1},)

plan = """
- checks.theirs: b IS NOT NULL -> (absent, which loosens the table)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `theirs`;
"""

commits = 1
