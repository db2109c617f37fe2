"""A record that says what the model says is no drift, and neither are others' keys."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, table_properties={"team": "core"})
after = columns(ID, table_properties={"team": "core"})
theirs = {"nightly": "yes", "delta.appendOnly": "true"}
policy = PropertyPolicy(keeps_record=True)

plan = ""

sql = ""

commits = 0
