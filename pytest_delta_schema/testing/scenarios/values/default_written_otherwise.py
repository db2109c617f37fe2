"""A default that says the same in other words is no drift."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("a", TEXT, default="UPPER( 'x' )"), column("b", default="(1)"))
after = columns(ID, column("a", TEXT, default="upper('x') -- loud"), column("b", default=1))
rows = ({"id": 1},)

plan = ""

sql = ""

commits = 0
left = ({"id": 1, "a": "X", "b": 1},)
