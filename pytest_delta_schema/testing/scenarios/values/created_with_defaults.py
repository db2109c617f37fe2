"""A new table with defaults of every kind: the feature comes with it, in the one commit."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(
    ID,
    column("n", INT, default=3),
    column("d", spark.DecimalType(9, 2), default=Decimal("1.50")),
    column("b", spark.BooleanType(), default=True),
    column("t", TEXT, is_nullable=False, comment="State", default=r"'it\'s ${x}'"),
    column("l", spark.ArrayType(INT), default="array(1, 2)"),
)

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 6 columns
+ columns.id: (absent) -> bigint not null
+ columns.n: (absent) -> int default 3
+ columns.d: (absent) -> decimal(9,2) default 1.50
+ columns.b: (absent) -> boolean default true
+ columns.t: (absent) -> string not null default 'it\\'s ${x}'
+ columns.l: (absent) -> array<int> default array(1, 2)
+ properties.delta.feature.allowColumnDefaults: (absent) -> 'supported'
"""

sql = r"""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
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
"""

commits = 1
