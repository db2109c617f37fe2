"""Columns and fields behind the declared ones, as writers leave them: no drift."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID, Column("s", struct(field("x"), field("new"))), column("extra"), Column("more", TEXT, comment="Theirs")
)
after = columns(ID, Column("s", struct(field("x"))), evolution="additive")
rows = ({"id": 1, "s": {"x": 1, "new": 2}, "extra": 3, "more": "m"},)

plan = ""
sql = ""
