"""Consent to a conversion that is done: no change."""

from support.parts import *

before = columns(column("id"))
after = columns(column("id"), convert_from="parquet")
rows = ({"id": 1},)

plan = ""
sql = ""
