"""A generated column comes too late: Delta makes it with the table only."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("ts", spark.TimestampType()))
after = columns(
    ID,
    column("ts", spark.TimestampType()),
    column("day", spark.DateType(), generated_as="CAST(ts AS DATE)"),
    column("seq", identity=True),
)
rows = ({"id": 1},)

plan = """
+ columns.day: (absent) -> date generated always as (CAST(ts AS DATE))
+ columns.seq: (absent) -> bigint generated always as identity (1 by 1)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `day` DATE GENERATED ALWAYS AS (CAST(ts AS DATE)),
  `seq` BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1 INCREMENT BY 1)
);
"""

refused = ("DS214", "DS214")
commits = 0
