"""Renamed long ago."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("new"), Column("s", struct(field("y"))))
after = columns(ID, column("new", renamed_from="old"), Column("s", struct(field("y", renamed_from="x"))))
rows = ({"id": 1, "new": 2},)

plan = ""

sql = ""

commits = 0
left = ({"id": 1, "new": 2, "s": None},)
