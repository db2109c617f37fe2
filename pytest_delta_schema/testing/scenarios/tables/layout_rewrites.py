"""Tables whose data is rewritten, because their partitioning or clustering changes."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql.types import BinaryType, CharType, DecimalType, TimestampType, VarcharType

from pytest_delta_schema import Check, Column, ForeignKey, Identity
from pytest_delta_schema.testing.parts import (
    BOTH,
    ID,
    INT,
    MAPPED,
    REWRITE,
    TEXT,
    column,
    columns,
    field,
    parent,
    struct,
)
from pytest_delta_schema.testing.scenario import Scenario

_PARTITION_COLUMNS = (
    ID,
    column("a", TEXT),
    column("b", VarcharType(30)),
    column("c", CharType(2)),
    column("d", BinaryType()),
    column("e", TimestampType()),
)

_PARTITIONED_BY = ["a", "b", "c", "d", "e"]

_COLUMNS_OF_EVERY_KIND = (
    column("id", is_nullable=False, comment="Key"),
    column("seq", identity=Identity(start=7)),
    column("r", TEXT, default="'x'"),
    column("d", DecimalType(9, 2)),
    column("again", DecimalType(9, 2), generated_as="d"),
    Column("s", struct(field("x", INT, nullable=False, comment="In"), field("y", VarcharType(3)))),
)

_OPTIONS_OF_EVERY_KIND = {
    "comment": "Everything",
    "table_properties": {**BOTH, "delta.enableDeletionVectors": "true", "team": "core"},
    "primary_key": ["id"],
    "checks": [Check("positive", "id > 0")],
    "foreign_keys": [ForeignKey(["id"], parent())],
}

LAYOUT_REWRITES: tuple[Scenario, ...] = (
    Scenario(
        name="layout/without_column_mapping",
        description="Delta writes all data again under the names of the columns.",
        before=columns(ID, column("r", TEXT), table_properties=MAPPED),
        after=columns(ID, column("r", TEXT), table_properties={"delta.columnMapping.mode": "none", "team": "core"}),
        rows=({"id": 1, "r": "a"}, {"id": 2, "r": None}),
        consents=(REWRITE,),
        plan="""
+ properties.team: (absent) -> 'core'
~ properties.delta.columnMapping.mode: 'name' -> 'none'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'team' = 'core'
);

ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.columnMapping.mode' = 'none'
);
""",
        commits=2,
    ),
    Scenario(
        name="layout/without_column_mapping_and_consent",
        before=columns(ID, column("r", TEXT), table_properties=MAPPED),
        after=columns(ID, column("r", TEXT), table_properties={"delta.columnMapping.mode": None}),
        rows=({"id": 1, "r": "a"},),
        plan="""
- properties.delta.columnMapping.mode: 'name' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('delta.columnMapping.mode');
""",
        refused_by=("DS216",),
        commits=0,
    ),
    Scenario(
        name="layout/clustered_instead_of_partitioned",
        before=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"]),
        after=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r", "d"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        consents=(REWRITE,),
        plan="""
~ layout: partitioned by (d) -> clustered by (r, d)
""",
        sql="""
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
CLUSTER BY (`r`, `d`)
AS SELECT * FROM `dev`.`silver`.`orders`;
""",
        commits=1,
    ),
    Scenario(
        name="layout/partitioned_by_values_read_back_as_null",
        description="Some values have no partition name and would be read back as NULL.",
        before=columns(*_PARTITION_COLUMNS),
        after=columns(*_PARTITION_COLUMNS, partitioned_by=_PARTITIONED_BY),
        rows=(
            {"id": 1, "a": "", "b": "__HIVE_DEFAULT_PARTITION__", "c": "", "d": b"\xff"},
            {"id": 2, "a": " ", "b": "", "c": "x", "d": b""},
            {"id": 3, "a": "x", "b": None, "c": None, "d": b"x"},
        ),
        consents=(REWRITE,),
        plan="""
~ layout: neither partitioned nor clustered -> partitioned by (a, b, c, d, e)
""",
        sql="""
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`a`, `b`, `c`, `d`, `e`)
AS SELECT * FROM `dev`.`silver`.`orders`;
""",
        refused_by=("DS306", "DS306", "DS306"),
        commits=0,
    ),
    Scenario(
        name="layout/partitioned_for_the_first_time",
        before=columns(ID, column("r", TEXT), column("d", INT)),
        after=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        consents=(REWRITE,),
        plan="""
~ layout: neither partitioned nor clustered -> partitioned by (d)
""",
        sql="""
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`d`)
AS SELECT * FROM `dev`.`silver`.`orders`;
""",
        commits=1,
    ),
    Scenario(
        name="layout/partitioned_instead_of_clustered",
        before=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["d"]),
        after=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        consents=(REWRITE,),
        plan="""
~ layout: clustered by (d) -> partitioned by (r)
""",
        sql="""
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`r`)
AS SELECT * FROM `dev`.`silver`.`orders`;
""",
        commits=1,
    ),
    Scenario(
        name="layout/partitioning_removed",
        before=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"]),
        after=columns(ID, column("r", TEXT), column("d", INT)),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        consents=(REWRITE,),
        plan="""
~ layout: partitioned by (d) -> neither partitioned nor clustered
""",
        sql="""
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
AS SELECT * FROM `dev`.`silver`.`orders`;
""",
        commits=1,
    ),
    Scenario(
        name="layout/partitioning_changed_with_consent",
        description="The rewrite keeps the rows and is one commit.",
        before=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"]),
        after=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d", "r"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        consents=(REWRITE,),
        plan="""
~ layout: partitioned by (r) -> partitioned by (d, r)
""",
        sql="""
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`d`, `r`)
AS SELECT * FROM `dev`.`silver`.`orders`;
""",
        commits=1,
    ),
    Scenario(
        name="layout/partitioning_changed_without_consent",
        before=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"]),
        after=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        plan="""
~ layout: partitioned by (r) -> partitioned by (d)
""",
        sql="""
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`d`)
AS SELECT * FROM `dev`.`silver`.`orders`;
""",
        refused_by=("DS216",),
        commits=0,
    ),
    Scenario(
        name="layout/empty_table_partitioned",
        before=columns(ID, column("r", TEXT), column("d", INT)),
        after=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"]),
        consents=(REWRITE,),
        plan="""
~ layout: neither partitioned nor clustered -> partitioned by (r)
""",
        sql="""
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`r`)
AS SELECT * FROM `dev`.`silver`.`orders`;
""",
        commits=1,
    ),
    Scenario(
        name="layout/rewritten_with_everything",
        description="A rewrite keeps NOT NULL, comments, defaults, generated columns, constraints and properties.",
        before=columns(*_COLUMNS_OF_EVERY_KIND, **_OPTIONS_OF_EVERY_KIND),
        after=columns(*_COLUMNS_OF_EVERY_KIND, partitioned_by=["r"], **_OPTIONS_OF_EVERY_KIND),
        rows=(
            {"id": 1, "d": Decimal("1.50"), "s": {"x": 1, "y": "abc"}},
            {"id": 2, "r": "b", "d": None, "s": {"x": 2, "y": None}},
        ),
        other_tables=((parent(), ({"id": 1, "region": "a"}, {"id": 2, "region": "a"})),),
        consents=(REWRITE,),
        plan="""
~ layout: neither partitioned nor clustered -> partitioned by (r)
""",
        sql="""
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`r`)
AS SELECT * FROM `dev`.`silver`.`orders`;
""",
        commits=1,
        rows_after=(
            {"id": 1, "seq": 7, "r": "x", "d": 1.5, "again": 1.5, "s": {"x": 1, "y": "abc"}},
            {"id": 2, "seq": 8, "r": "b", "d": None, "again": None, "s": {"x": 2, "y": None}},
        ),
    ),
)
