"""Order of columns differs."""

from pytest_delta_schema.testing.parts import *

before = columns(column("a"), column("b"))
after = columns(column("b"), column("a"))

plan = ""

sql = ""
