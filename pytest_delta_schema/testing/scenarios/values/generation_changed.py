"""A generation expression changes, comes, goes: Delta never does it; another spelling is the same."""

from pytest_delta_schema.testing.parts import *

before = columns(
    column(identity=True),
    column("a", INT),
    column("b", INT, generated_as="a + 1"),
    column("c", INT, generated_as="a + 2"),
    column("d", INT, generated_as="a + 3"),
    column("e", INT),
)
after = columns(
    column(identity=Identity(step=2)),
    column("a", INT),
    column("b", INT, generated_as="A+1"),
    column("c", INT, generated_as="a + 20"),
    column("d", INT),
    column("e", INT, generated_as="a"),
)
rows = ({"a": 1, "e": 1},)

plan = """
~ columns.c: generated always as (a + 2) -> generated always as (a + 20)
~ columns.d: generated always as (a + 3) -> written by writers
~ columns.e: written by writers -> generated always as (a)
~ columns.id: generated always as identity (1 by 1) -> generated always as identity (1 by 2)
"""

sql = ""

refused = ("DS214", "DS214", "DS214", "DS214")
commits = 0
