"""Parted by a date; NOT NULL, a check, a new column and properties come back with the alignment."""

from datetime import date

from pytest_delta_schema.testing.parts import *

before = None
parquet = columns(column("id"), Column("day", spark.DateType()), partitioned_by=["day"])
after = columns(
    ID,
    Column("day", spark.DateType(), comment="Of the order"),
    Column("note", TEXT),
    partitioned_by=["day"],
    checks=[Check("positive", "id > 0")],
    table_properties={"team": "data"},
    convert_from=Parquet(statistics=False),
)
rows = ({"id": 1, "day": date(2024, 1, 1)}, {"id": 2, "day": date(2024, 1, 2)})

plan = """
~ format: parquet -> delta
+ columns.note: (absent) -> string
~ columns.id: nullable -> not null
+ checks.positive: (absent) -> id > 0
~ columns.day.comment: '' -> 'Of the order'
+ properties.team: (absent) -> 'data'
"""

sql = """
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
"""

left = (
    {"id": 1, "day": date(2024, 1, 1), "note": None},
    {"id": 2, "day": date(2024, 1, 2), "note": None},
)
