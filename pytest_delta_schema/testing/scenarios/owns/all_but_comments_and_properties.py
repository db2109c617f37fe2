"""Comments are matched and properties ignored, in a mapping."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("n", comment="Number"), comment="Theirs", table_properties={"team": "them", "tier": "1"})
after = columns(
    ID,
    column("n", comment="Ours"),
    column("new", comment="New"),
    comment="Ours",
    table_properties={"team": "us", "tier": None},
    owns={"comments": "match", "properties": "ignore"},
)
rows = ({"id": 1, "n": 2},)

plan = """
+ columns.new: (absent) -> bigint
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `new` BIGINT
);
"""

matched = """
~ columns.n.comment: 'Number' -> 'Ours'
~ columns.new.comment: '' -> 'New'
~ comment: 'Theirs' -> 'Ours'
"""

commits = 1
left = ({"id": 1, "n": 2, "new": None},)
