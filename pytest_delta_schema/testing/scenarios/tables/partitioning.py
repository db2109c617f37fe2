"""Tables that are created partitioned, and changes of their partition columns."""

from __future__ import annotations

from pyspark.sql.types import DateType

from pytest_delta_schema import Column
from pytest_delta_schema.testing.parts import (
    DROP,
    ID,
    INT,
    MAPPED,
    REWRITE,
    TEXT,
    WIDENS,
    column,
    columns,
    field,
    struct,
)
from pytest_delta_schema.testing.scenario import Scenario

PARTITIONING: tuple[Scenario, ...] = (
    Scenario(
        name="layout/created_partitioned",
        description="Names match without case and are written as declared.",
        before=None,
        after=columns(
            ID,
            column("Day", DateType()),
            column("region", TEXT),
            comment="Partitioned",
            partitioned_by=["day", "region"],
        ),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 3 columns
+ columns.id: (absent) -> bigint not null
+ columns.Day: (absent) -> date
+ columns.region: (absent) -> string
+ layout: (absent) -> partitioned by (Day, region)
+ comment: (absent) -> 'Partitioned'
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `Day` DATE,
  `region` STRING
)
USING DELTA
PARTITIONED BY (`Day`, `region`)
COMMENT 'Partitioned';
""",
        commits=1,
    ),
    Scenario(
        name="layout/partition_column_dropped",
        description="The table is rewritten before its partition column is dropped.",
        before=columns(ID, column("legacy", INT), column("d", INT), partitioned_by=["legacy"], table_properties=MAPPED),
        after=columns(ID, column("d", INT), partitioned_by=["d"], table_properties=MAPPED),
        rows=({"id": 1, "legacy": 2, "d": 3},),
        consents=(DROP, REWRITE),
        plan="""
~ layout: partitioned by (legacy) -> partitioned by (d)
- columns.legacy: int -> (not in the model)
""",
        sql="""
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`d`)
AS SELECT * FROM `dev`.`silver`.`orders`;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
""",
        commits=2,
        rows_after=({"id": 1, "d": 3},),
    ),
    Scenario(
        name="layout/partition_column_renamed",
        description="The table stays partitioned by the renamed column.",
        before=columns(ID, column("r", TEXT), partitioned_by=["r"], table_properties=MAPPED),
        after=columns(ID, column("region", TEXT, renamed_from="r"), partitioned_by=["region"], table_properties=MAPPED),
        rows=({"id": 1, "r": "a"},),
        plan="""
~ columns.r: r -> region (renamed)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `r` TO `region`;
""",
        commits=1,
        rows_after=({"id": 1, "region": "a"},),
    ),
    Scenario(
        name="layout/partition_column_widened",
        description="A partition column is widened in place.",
        before=columns(ID, column("d", INT), partitioned_by=["d"], table_properties=WIDENS),
        after=columns(ID, column("d"), partitioned_by=["d"], table_properties=WIDENS),
        rows=({"id": 1, "d": 3},),
        plan="""
~ columns.d: int -> bigint
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `d` TYPE BIGINT;
""",
        commits=1,
    ),
    Scenario(
        name="layout/layout_in_another_case",
        description="A layout in another case is equal, also on a table with column mapping.",
        before=columns(ID, Column("S", struct(field("A", INT))), clustered_by=["s.a", "ID"], table_properties=MAPPED),
        after=columns(ID, Column("S", struct(field("A", INT))), clustered_by=["S.A", "id"], table_properties=MAPPED),
        rows=({"id": 1, "S": {"A": 1}},),
        plan="",
        sql="",
        commits=0,
        rows_after=({"id": 1, "S": {"A": 1}},),
    ),
)
