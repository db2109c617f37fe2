"""Contracts that manage some aspects of a table and report or ignore the others (`owns`)."""

from __future__ import annotations

from pytest_delta_schema import Check
from pytest_delta_schema.testing.parts import BOTH, DROP, ID, INT, LONG, TEXT, WIDENS, column, columns
from pytest_delta_schema.testing.scenario import Scenario

OWNERSHIP: tuple[Scenario, ...] = (
    Scenario(
        name="ownership/comments_reported_and_properties_ignored",
        description="`owns` is a mapping of aspects to modes.",
        before=columns(
            ID, column("n", comment="Number"), comment="Theirs", table_properties={"team": "them", "tier": "1"}
        ),
        after=columns(
            ID,
            column("n", comment="Ours"),
            column("new", comment="New"),
            comment="Ours",
            table_properties={"team": "us", "tier": None},
            owns={"comments": "report", "properties": "ignore"},
        ),
        rows=({"id": 1, "n": 2},),
        plan="""
+ columns.new: (absent) -> bigint
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `new` BIGINT
);
""",
        reported="""
~ columns.n.comment: 'Number' -> 'Ours'
~ columns.new.comment: '' -> 'New'
~ comment: 'Theirs' -> 'Ours'
""",
        commits=1,
        rows_after=({"id": 1, "n": 2, "new": None},),
    ),
    Scenario(
        name="ownership/columns_only",
        description="The contract manages columns and types. Every other aspect is compared and not changed.",
        before=columns(
            ID,
            column("n", INT, comment="Number"),
            column("legacy"),
            checks=[Check("positive", "n > 0")],
            comment="Theirs",
            table_properties={**BOTH, "team": "them"},
        ),
        after=columns(
            ID,
            column("n", LONG, is_nullable=False, comment="Ours"),
            column("new", comment="New", default=1),
            checks=[Check("positive", "n > 1"), Check("more", "n < 9")],
            comment="Ours",
            clustered_by=["id"],
            table_properties={**BOTH, "team": "us"},
            owns=["columns", "types"],
        ),
        rows=({"id": 1, "n": 2, "legacy": 3},),
        consents=(DROP,),
        plan="""
- checks.positive: n > 0 -> (dropped and added again)
+ columns.new: (absent) -> bigint
~ columns.n: int -> bigint
- columns.legacy: bigint -> (not in the model)
~ columns.n: nullable -> not null
+ checks.positive: (absent) -> n > 0
""",
        sql="""
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
""",
        reported="""
- checks.positive: n > 0 -> (replaced)
~ layout: neither partitioned nor clustered -> clustered by (id)
+ columns.new.default: (absent) -> 1
+ checks.positive: (absent) -> n > 1
+ checks.more: (absent) -> n < 9
~ columns.n.comment: 'Number' -> 'Ours'
~ columns.new.comment: '' -> 'New'
~ comment: 'Theirs' -> 'Ours'
~ properties.team: 'them' -> 'us'
""",
        commits=6,
        rows_after=({"id": 1, "n": 2, "new": None},),
    ),
    Scenario(
        name="ownership/created",
        description="A new table is created whole, whatever aspects its contract manages.",
        before=None,
        after=columns(
            ID, comment="Ours", table_properties={"team": "us"}, owns={"comments": "report", "properties": "ignore"}
        ),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint not null
+ comment: (absent) -> 'Ours'
+ properties.team: (absent) -> 'us'
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL
)
USING DELTA
COMMENT 'Ours'
TBLPROPERTIES (
  'team' = 'us'
);
""",
        commits=1,
    ),
    Scenario(
        name="ownership/everything_but_columns",
        description="Others add and drop columns. The contract manages what it declares about existing columns.",
        before=columns(ID, column("n", INT, comment="Number"), column("theirs"), table_properties=WIDENS),
        after=columns(
            ID,
            column("n", comment="Ours", is_nullable=False),
            column("missing", comment="New", default=1),
            table_properties={**WIDENS, "team": "us"},
            owns=["types", "defaults", "primary_keys", "foreign_keys", "checks", "comments", "properties", "layout"],
        ),
        rows=({"id": 1, "n": 2, "theirs": 3},),
        plan="""
~ columns.n: int -> bigint
~ columns.n.comment: 'Number' -> 'Ours'
+ properties.team: (absent) -> 'us'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'Ours';

ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'team' = 'us'
);
""",
        reported="""
+ columns.missing: (absent) -> bigint
- columns.theirs: bigint -> (not in the model)
~ columns.n: nullable -> not null
""",
        commits=3,
        rows_after=({"id": 1, "n": 2, "theirs": 3},),
    ),
    Scenario(
        name="ownership/nothing",
        description="Every difference is reported and nothing is planned, table features included.",
        before=columns(ID, column("n", INT), column("legacy"), clustered_by=["n"]),
        after=columns(
            column(is_nullable=True),
            column("n", TEXT),
            primary_key=(),
            partitioned_by=["n"],
            table_properties={"team": "us"},
            owns=[],
        ),
        rows=({"id": 1, "n": 2, "legacy": 3},),
        plan="",
        sql="",
        reported="""
~ columns.n: int -> string
~ layout: clustered by (n) -> partitioned by (n)
- columns.legacy: bigint -> (not in the model)
~ columns.id: not null -> nullable
+ properties.team: (absent) -> 'us'
""",
        commits=0,
        rows_after=({"id": 1, "n": 2, "legacy": 3},),
    ),
    Scenario(
        name="ownership/column_order_reported",
        description="Column order is reported and never changed.",
        before=columns(column("a"), column("b")),
        after=columns(column("b"), column("a", comment="New"), column_order="report"),
        rows=({"a": 1, "b": 2},),
        plan="""
~ columns.a.comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` COMMENT 'New';
""",
        reported="""
~ columns.a.order: first -> behind b
""",
        commits=1,
        rows_after=({"a": 1, "b": 2},),
    ),
)
