"""A contract that leaves tags to others reports the difference, and adds no column for the sake of its tags."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("n", tags={"level": "1"}), tags={"team": "them"})
after = columns(
    ID,
    column("n", comment="New", tags={"level": "2"}),
    column("more", tags={"level": "3"}),
    tags={"team": None},
    owns={"tags": "match", "columns": "ignore"},
)
rows = ({"id": 1, "n": 2},)

plan = """
~ columns.n.comment: '' -> 'New'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'New';
"""

matched = """
- tags.team: 'them' -> (absent)
~ columns.n.tags.level: '1' -> '2'
+ columns.more.tags.level: (absent) -> '3'
"""

commits = 1
