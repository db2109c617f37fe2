"""A layout in another spelling is the same, on a table with column mapping, too."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("S", struct(field("A", INT))), clustered_by=["s.a", "ID"], table_properties=MAPPED)
after = columns(ID, Column("S", struct(field("A", INT))), clustered_by=["S.A", "id"], table_properties=MAPPED)
rows = ({"id": 1, "S": {"A": 1}},)

plan = ""

sql = ""

commits = 0
left = ({"id": 1, "S": {"A": 1}},)
