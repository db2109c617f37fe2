"""Contracts that accept columns of other writers (`evolution="additive"`)."""

from __future__ import annotations

from pytest_delta_schema import Column
from pytest_delta_schema.testing.parts import ID, MAPPED, TEXT, column, columns, field, struct
from pytest_delta_schema.testing.scenario import Scenario

ADDITIVE: tuple[Scenario, ...] = (
    Scenario(
        name="additive/undeclared_column_between_declared_ones",
        description="An undeclared column between declared ones is drift. Dropping it needs consent.",
        before=columns(ID, column("inside"), column("last"), table_properties=MAPPED),
        after=columns(ID, column("last"), evolution="additive"),
        plan="- columns.inside: bigint -> (not in the model)",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`inside`);
""",
        refused_by=("DS206",),
    ),
    Scenario(
        name="additive/undeclared_columns_kept",
        description="Undeclared columns and fields after the declared ones are not drift.",
        before=columns(
            ID, Column("s", struct(field("x"), field("new"))), column("extra"), Column("more", TEXT, comment="Theirs")
        ),
        after=columns(ID, Column("s", struct(field("x"))), evolution="additive"),
        rows=({"id": 1, "s": {"x": 1, "new": 2}, "extra": 3, "more": "m"},),
        plan="",
        sql="",
    ),
    Scenario(
        name="additive/new_columns_before_undeclared_ones",
        description="New columns and fields go after the declared ones and before the undeclared ones.",
        before=columns(ID, Column("s", struct(field("x"), field("theirs"))), column("extra")),
        after=columns(
            ID, Column("s", struct(field("x"), field("y"), field("z"))), column("a"), column("b"), evolution="additive"
        ),
        rows=({"id": 1, "s": {"x": 1, "theirs": 2}, "extra": 3},),
        plan="""
+ columns.a: (absent) -> bigint
+ columns.b: (absent) -> bigint
+ columns.s.y: (absent) -> bigint
+ columns.s.z: (absent) -> bigint
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `a` BIGINT AFTER `s`,
  `b` BIGINT AFTER `a`,
  `s`.`y` BIGINT AFTER `x`,
  `s`.`z` BIGINT AFTER `y`
);
""",
        commits=1,
        rows_after=({"id": 1, "s": {"x": 1, "y": None, "z": None, "theirs": 2}, "a": None, "b": None, "extra": 3},),
    ),
    Scenario(
        name="additive/undeclared_not_null_column",
        description="An undeclared NOT NULL column is drift: every other writer would have to provide it.",
        before=columns(ID, column("extra", is_nullable=False), table_properties=MAPPED),
        after=columns(ID, evolution="additive"),
        plan="- columns.extra: bigint not null -> (not in the model)",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`extra`);
""",
        refused_by=("DS206",),
    ),
    Scenario(
        name="additive/no_declared_column_exists",
        description="All stored columns are undeclared. The declared column is added first.",
        before=columns(column("theirs")),
        after=columns(column("id"), evolution="additive"),
        plan="+ columns.id: (absent) -> bigint",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `id` BIGINT FIRST
);
""",
    ),
    Scenario(
        name="additive/renamed_and_commented_beside_an_undeclared_column",
        before=columns(ID, column("old"), column("extra"), table_properties=MAPPED),
        after=columns(
            ID, column("new", renamed_from="old", comment="New"), evolution="additive", table_properties=MAPPED
        ),
        rows=({"id": 1, "old": 2, "extra": 3},),
        plan="""
~ columns.old: old -> new (renamed)
~ columns.new.comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `new`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `new` COMMENT 'New';
""",
        rows_after=({"id": 1, "new": 2, "extra": 3},),
    ),
    Scenario(
        name="additive/strict_contract",
        description="Under a strict contract an undeclared column is drift.",
        before=columns(ID, column("extra"), table_properties=MAPPED),
        after=columns(ID, evolution="strict"),
        plan="- columns.extra: bigint -> (not in the model)",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`extra`);
""",
        refused_by=("DS206",),
    ),
)
