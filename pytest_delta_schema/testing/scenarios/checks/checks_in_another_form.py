"""Checks in another form."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, checks=[Check("range", "id between 1 and 9"), Check("flipped", "0 < id")])
after = columns(ID, checks=[Check("range", "id >= 1 and id <= 9"), Check("flipped", "id > 0")])

plan = ""

sql = ""

commits = 0
