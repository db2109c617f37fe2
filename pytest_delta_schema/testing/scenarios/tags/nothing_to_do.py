"""Tags that are there already, beside those of others, are no drift."""

from pytest_delta_schema.testing.parts import *

before = columns(column("Id", tags={"key": "", "theirs": "x"}), tags={"team": "sales", "theirs": "y"})
after = columns(column("Id", tags={"key": "", "never": None}), tags={"team": "sales"})

plan = """
"""

sql = """
"""

commits = 0
