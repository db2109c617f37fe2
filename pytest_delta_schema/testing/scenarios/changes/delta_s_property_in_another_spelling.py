"""Delta's property in another spelling."""

from pytest_delta_schema.testing.parts import *

before = columns(column(), table_properties={"delta.appendOnly": "TRUE"})
after = columns(column(), table_properties={"DELTA.APPENDONLY": True})

plan = ""

sql = ""
