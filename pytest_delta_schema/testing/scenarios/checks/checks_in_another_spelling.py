"""Checks in another spelling."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("b"), checks=[Check("POSITIVE", "id > 0 and (b is null or b<10)")])
after = columns(ID, column("b"), checks=[Check("positive", "`ID` > 0 AND (b IS NULL OR (B < 10))")])

plan = ""

sql = ""

commits = 0
