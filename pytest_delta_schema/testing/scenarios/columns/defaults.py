"""Defaults of columns."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql.types import ArrayType, BooleanType, DecimalType

from pytest_delta_schema import Check
from pytest_delta_schema.testing.parts import DROP, ID, INT, MAPPED, TEXT, WIDENS, column, columns
from pytest_delta_schema.testing.scenario import Scenario

DEFAULTS: tuple[Scenario, ...] = (
    Scenario(
        name="defaults/created_with_defaults",
        description="Defaults of every kind, and their table feature, are part of the commit that creates the table.",
        before=None,
        after=columns(
            ID,
            column("n", INT, default=3),
            column("d", DecimalType(9, 2), default=Decimal("1.50")),
            column("b", BooleanType(), default=True),
            column("t", TEXT, is_nullable=False, comment="State", default=r"'it\'s ${x}'"),
            column("l", ArrayType(INT), default="array(1, 2)"),
        ),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 6 columns
+ columns.id: (absent) -> bigint not null
+ columns.n: (absent) -> int default 3
+ columns.d: (absent) -> decimal(9,2) default 1.50
+ columns.b: (absent) -> boolean default true
+ columns.t: (absent) -> string not null default 'it\\'s ${x}'
+ columns.l: (absent) -> array<int> default array(1, 2)
+ properties.delta.feature.allowColumnDefaults: (absent) -> 'supported'
""",
        sql=r"""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `n` INT DEFAULT 3,
  `d` DECIMAL(9,2) DEFAULT 1.50,
  `b` BOOLEAN DEFAULT true,
  `t` STRING NOT NULL DEFAULT 'it\'s ${x}' COMMENT 'State',
  `l` ARRAY<INT> DEFAULT array(1, 2)
)
USING DELTA
TBLPROPERTIES (
  'delta.feature.allowColumnDefaults' = 'supported'
);
""",
        commits=1,
    ),
    Scenario(
        name="defaults/default_added_to_an_existing_column",
        description="Rows keep their values.",
        before=columns(ID, column("n")),
        after=columns(ID, column("n", default=3)),
        rows=({"id": 1, "n": None}, {"id": 2, "n": 7}),
        plan="""
+ properties.delta.feature.allowColumnDefaults: (absent) -> 'supported'
+ columns.n.default: (absent) -> 3
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.feature.allowColumnDefaults' = 'supported'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 3;
""",
        commits=2,
        rows_after=({"id": 1, "n": None}, {"id": 2, "n": 7}),
    ),
    Scenario(
        name="defaults/default_of_a_renamed_and_of_a_dropped_column",
        description="A renamed column keeps its default.",
        before=columns(ID, column("a", default=1), column("legacy", default=2), table_properties=MAPPED),
        after=columns(ID, column("b", renamed_from="a", default=1), table_properties=MAPPED),
        rows=({"id": 1},),
        consents=(DROP,),
        plan="""
~ columns.a: a -> b (renamed)
- columns.legacy: bigint default 2 -> (not in the model)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `a` TO `b`;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
""",
        commits=2,
        rows_after=({"id": 1, "b": 1},),
    ),
    Scenario(
        name="defaults/default_that_needs_the_widened_type",
        before=columns(ID, column("n", INT, default=1), table_properties=WIDENS),
        after=columns(ID, column("n", default=3000000000), table_properties=WIDENS),
        rows=({"id": 1},),
        plan="""
~ columns.n: int -> bigint
~ columns.n.default: 1 -> 3000000000
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 3000000000;
""",
        commits=2,
        rows_after=({"id": 1, "n": 1},),
    ),
    Scenario(
        name="defaults/equivalent_defaults_are_equal",
        before=columns(ID, column("a", TEXT, default="UPPER( 'x' )"), column("b", default="(1)")),
        after=columns(ID, column("a", TEXT, default="upper('x') -- loud"), column("b", default=1)),
        rows=({"id": 1},),
        plan="",
        sql="",
        commits=0,
        rows_after=({"id": 1, "a": "X", "b": 1},),
    ),
    Scenario(
        name="defaults/default_and_check_on_it_added",
        before=columns(ID, column("n"), table_properties={"delta.feature.allowColumnDefaults": "supported"}),
        after=columns(ID, column("n", default=1), checks=[Check("positive", "n IS NULL OR n > 0")]),
        rows=({"id": 1, "n": None}, {"id": 2, "n": 7}),
        plan="""
+ columns.n.default: (absent) -> 1
+ checks.positive: (absent) -> n IS NULL OR n > 0
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 1;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (n IS NULL OR n > 0);
""",
        commits=2,
        rows_after=({"id": 1, "n": None}, {"id": 2, "n": 7}),
    ),
    Scenario(
        name="defaults/defaults_changed_and_dropped",
        description="Both are one statement.",
        before=columns(ID, column("a", default=1), column("b", TEXT, default="'x'"), column("c", default=5)),
        after=columns(ID, column("a", default=2), column("b", TEXT), column("c", default=5)),
        rows=({"id": 1}, {"id": 2, "a": 9, "b": None}),
        plan="""
~ columns.a.default: 1 -> 2
- columns.b.default: 'x' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` SET DEFAULT 2,
  `b` DROP DEFAULT;
""",
        commits=1,
        rows_after=({"id": 1, "a": 1, "b": "x", "c": 5}, {"id": 2, "a": 9, "b": None, "c": 5}),
    ),
    Scenario(
        name="defaults/column_with_a_default_added",
        description="Delta adds a column without its default, so the default is set after it.",
        before=columns(ID),
        after=columns(ID, column("n", comment="Number", default="1 + 1")),
        rows=({"id": 1},),
        plan="""
+ properties.delta.feature.allowColumnDefaults: (absent) -> 'supported'
+ columns.n: (absent) -> bigint
+ columns.n.default: (absent) -> 1 + 1
~ columns.n.comment: '' -> 'Number'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.feature.allowColumnDefaults' = 'supported'
);

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `n` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET DEFAULT 1 + 1;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'Number';
""",
        commits=4,
        rows_after=({"id": 1, "n": None},),
    ),
)
