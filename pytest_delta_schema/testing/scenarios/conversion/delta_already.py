"""Consent to a conversion that is done: no change."""

from pytest_delta_schema.testing.parts import *

before = columns(column("id"))
after = columns(column("id"), convert_from="parquet")
rows = ({"id": 1},)

plan = ""
sql = ""
