"""Columns are others' to add and drop; what the contract says of the columns it knows is managed."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("n", INT, comment="Number"), column("theirs"), table_properties=WIDENS)
after = columns(
    ID,
    column("n", comment="Ours", is_nullable=False),
    column("missing", comment="New", default=1),
    table_properties={**WIDENS, "team": "us"},
    owns=["types", "values", "constraints", "comments", "properties", "layout"],
)
rows = ({"id": 1, "n": 2, "theirs": 3},)

plan = """
~ columns.n: int -> bigint
~ columns.n.comment: 'Number' -> 'Ours'
+ properties.team: (absent) -> 'us'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'Ours';

ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'team' = 'us'
);
"""

matched = """
+ columns.missing: (absent) -> bigint
- columns.theirs: bigint -> (not in the model)
~ columns.n: nullable -> not null
"""

commits = 3
left = ({"id": 1, "n": 2, "theirs": 3},)
