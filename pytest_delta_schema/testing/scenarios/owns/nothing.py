"""A contract that only matches: everything is drift, and nothing is planned, features included."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("n", INT), column("legacy"), clustered_by=["n"])
after = columns(
    column(is_nullable=True),
    column("n", TEXT),
    primary_key=(),
    partitioned_by=["n"],
    table_properties={"team": "us"},
    owns=[],
)
rows = ({"id": 1, "n": 2, "legacy": 3},)

plan = ""

sql = ""

matched = """
~ columns.n: int -> string
~ layout: clustered by (n) -> partitioned by (n)
- columns.legacy: bigint -> (not in the model)
~ columns.id: not null -> nullable
+ properties.team: (absent) -> 'us'
"""

commits = 0
left = ({"id": 1, "n": 2, "legacy": 3},)
