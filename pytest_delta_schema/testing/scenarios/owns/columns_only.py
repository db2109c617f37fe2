"""A contract that manages columns and types; the rest is matched, and no apply changes it."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID,
    column("n", INT, comment="Number"),
    column("legacy"),
    checks=[Check("positive", "n > 0")],
    comment="Theirs",
    table_properties={**BOTH, "team": "them"},
)
after = columns(
    ID,
    column("n", LONG, is_nullable=False, comment="Ours"),
    column("new", comment="New", default=1),
    checks=[Check("positive", "n > 1"), Check("more", "n < 9")],
    comment="Ours",
    clustered_by=["id"],
    table_properties={**BOTH, "team": "us"},
    owns=["columns", "types"],
)
rows = ({"id": 1, "n": 2, "legacy": 3},)
consents = (DROP,)

plan = """
+ columns.new: (absent) -> bigint
~ columns.n: int -> bigint
- columns.legacy: bigint -> (not in the model)
~ columns.n: nullable -> not null
~ checks.positive: n > 0 -> n > 0
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `new` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (n > 0);
"""

matched = """
~ layout: neither partitioned nor clustered -> clustered by (id)
+ columns.new.default: (absent) -> 1
~ checks.positive: n > 0 -> n > 1
+ checks.more: (absent) -> n < 9
~ columns.n.comment: 'Number' -> 'Ours'
~ columns.new.comment: '' -> 'New'
~ comment: 'Theirs' -> 'Ours'
~ properties.team: 'them' -> 'us'
"""

commits = 6
left = ({"id": 1, "n": 2, "new": None},)
