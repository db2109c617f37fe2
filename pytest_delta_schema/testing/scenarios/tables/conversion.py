"""Parquet tables that become Delta tables."""

from __future__ import annotations

from datetime import date

from pyspark.sql.types import DateType, DoubleType

from pytest_delta_schema import Check, Column, Parquet
from pytest_delta_schema.testing.parts import ID, TEXT, column, columns
from pytest_delta_schema.testing.scenario import Scenario

CONVERSION: tuple[Scenario, ...] = (
    Scenario(
        name="conversion/table_is_delta_already",
        description="`convert_from` stays in the model after the conversion.",
        before=columns(column("id")),
        after=columns(column("id"), convert_from="parquet"),
        rows=({"id": 1},),
        plan="",
        sql="",
    ),
    Scenario(
        name="conversion/undeclared_parquet_column",
        description="Dropping a column of the files needs consent and column mapping.",
        before=None,
        parquet=columns(column("id"), column("legacy")),
        after=columns(column("id"), convert_from="parquet"),
        rows=({"id": 1, "legacy": 2},),
        plan="""
~ format: parquet -> delta
- columns.legacy: bigint -> (not in the model)
""",
        sql="""
CONVERT TO DELTA `dev`.`silver`.`orders`;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
""",
        refused_by=("DS206", "DS207"),
    ),
    Scenario(
        name="conversion/no_table_to_convert",
        description="A table that does not exist is created.",
        before=None,
        after=columns(column("id"), convert_from="parquet"),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT
)
USING DELTA;
""",
    ),
    Scenario(
        name="conversion/folders_partitioned_otherwise",
        before=None,
        parquet=columns(column("id"), Column("region", TEXT), partitioned_by=["region"]),
        after=columns(column("id"), Column("region", TEXT), partitioned_by=["id"], convert_from="parquet"),
        rows=({"id": 1, "region": "EU"},),
        plan="""
~ format: parquet -> delta
~ layout: partitioned by (region) -> partitioned by (id)
""",
        sql="""
CONVERT TO DELTA `dev`.`silver`.`orders`;

CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`id`)
AS SELECT * FROM `dev`.`silver`.`orders`;
""",
        refused_by=("DS216", "DS217"),
    ),
    Scenario(
        name="conversion/parquet_columns_as_declared",
        description="The comment is set after the conversion.",
        before=None,
        parquet=columns(column("id"), column("amount", DoubleType(), comment="Total")),
        after=columns(
            column("id"), column("amount", DoubleType(), comment="Total"), comment="Orders", convert_from="parquet"
        ),
        rows=({"id": 1, "amount": 1.5}, {"id": 2, "amount": None}),
        plan="""
~ format: parquet -> delta
~ comment: '' -> 'Orders'
""",
        sql="""
CONVERT TO DELTA `dev`.`silver`.`orders`;

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders';
""",
    ),
    Scenario(
        name="conversion/converted_and_aligned",
        description="NOT NULL, a check, a new column and properties are set after the conversion.",
        before=None,
        parquet=columns(column("id"), Column("day", DateType()), partitioned_by=["day"]),
        after=columns(
            ID,
            Column("day", DateType(), comment="Of the order"),
            Column("note", TEXT),
            partitioned_by=["day"],
            checks=[Check("positive", "id > 0")],
            table_properties={"team": "data"},
            convert_from=Parquet(statistics=False),
        ),
        rows=({"id": 1, "day": date(2024, 1, 1)}, {"id": 2, "day": date(2024, 1, 2)}),
        plan="""
~ format: parquet -> delta
+ columns.note: (absent) -> string
~ columns.id: nullable -> not null
+ checks.positive: (absent) -> id > 0
~ columns.day.comment: '' -> 'Of the order'
+ properties.team: (absent) -> 'data'
""",
        sql="""
CONVERT TO DELTA `dev`.`silver`.`orders` NO STATISTICS;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `note` STRING
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 0);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `day` COMMENT 'Of the order';

ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'team' = 'data'
);
""",
        rows_after=(
            {"id": 1, "day": date(2024, 1, 1), "note": None},
            {"id": 2, "day": date(2024, 1, 2), "note": None},
        ),
    ),
    Scenario(
        name="conversion/rows_violate_not_null",
        description="Nothing is converted while rows hold NULL in a NOT NULL column.",
        before=None,
        parquet=columns(column("id"), column("n")),
        after=columns(column("id"), column("n", is_nullable=False), convert_from="parquet"),
        rows=({"id": 1, "n": None}, {"id": 2, "n": 3}),
        plan="""
~ format: parquet -> delta
~ columns.n: nullable -> not null
""",
        sql="""
CONVERT TO DELTA `dev`.`silver`.`orders`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET NOT NULL;
""",
        refused_by=("DS301",),
    ),
)
