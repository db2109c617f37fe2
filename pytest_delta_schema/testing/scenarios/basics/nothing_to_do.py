"""Nothing to do."""

from pytest_delta_schema.testing.parts import *

before = orders()
after = orders()

plan = ""

sql = ""
