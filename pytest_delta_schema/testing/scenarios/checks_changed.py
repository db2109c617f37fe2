"""CHECK constraints that are changed, renamed or dropped."""

from __future__ import annotations

from pytest_delta_schema import Check
from pytest_delta_schema.testing.parts import DROP, ID, MAPPED, column, columns
from pytest_delta_schema.testing.scenario import Scenario

CHECKS_CHANGED: tuple[Scenario, ...] = (
    Scenario(
        name="checks/check_dropped",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID),
        rows=({"id": 1},),
        plan="""
- checks.positive: id > 0 -> (absent, which loosens the table)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;
""",
        commits=1,
    ),
    Scenario(
        name="checks/check_dropped_from_an_empty_table",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID),
        plan="""
- checks.positive: id > 0 -> (absent, which loosens the table)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;
""",
        commits=1,
    ),
    Scenario(
        name="checks/check_dropped_with_its_column",
        before=columns(ID, column("legacy"), table_properties=MAPPED, checks=[Check("old", "legacy > 0")]),
        after=columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        plan="""
- checks.old: legacy > 0 -> (absent, which loosens the table)
- columns.legacy: bigint -> (not in the model)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `old`;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
""",
        commits=2,
    ),
    Scenario(
        name="checks/check_renamed",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, checks=[Check("above_zero", "ID > 0")]),
        rows=({"id": 1},),
        plan="""
- checks.positive: id > 0 -> (renamed to above_zero)
+ checks.above_zero: (absent) -> ID > 0
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `above_zero` CHECK (ID > 0);
""",
        commits=2,
    ),
    Scenario(
        name="checks/check_replaced",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, checks=[Check("positive", "id > 1")]),
        rows=({"id": 2},),
        plan="""
- checks.positive: id > 0 -> (replaced)
+ checks.positive: (absent) -> id > 1
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 1);
""",
        commits=2,
    ),
    Scenario(
        name="checks/check_replaced_on_an_empty_table_to_use_a_new_column",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, column("b"), checks=[Check("positive", "b > 0")]),
        plan="""
- checks.positive: id > 0 -> (replaced)
+ columns.b: (absent) -> bigint
+ checks.positive: (absent) -> b > 0
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `b` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (b > 0);
""",
        commits=3,
    ),
    Scenario(
        name="checks/check_replaced_over_rows_that_violate_the_new_one",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, checks=[Check("positive", "id > 1")]),
        rows=({"id": 1},),
        plan="""
- checks.positive: id > 0 -> (replaced)
+ checks.positive: (absent) -> id > 1
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 1);
""",
        refused_by=("DS302",),
        commits=0,
    ),
    Scenario(
        name="checks/check_kept_while_another_column_is_dropped",
        before=columns(ID, column("legacy"), table_properties=MAPPED, checks=[Check("positive", "id > 0")]),
        after=columns(ID, table_properties=MAPPED, checks=[Check("positive", "id > 0")]),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        plan="""
- columns.legacy: bigint -> (not in the model)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
""",
        commits=1,
    ),
    Scenario(
        name="checks/undeclared_check_dropped",
        before=columns(ID, column("b"), checks=[Check("theirs", "b IS NOT NULL"), Check("ours", "id > 0")]),
        after=columns(ID, column("b"), checks=[Check("ours", "id > 0")]),
        rows=({"id": 1, "b": 1},),
        plan="""
- checks.theirs: b IS NOT NULL -> (absent, which loosens the table)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `theirs`;
""",
        commits=1,
    ),
)
