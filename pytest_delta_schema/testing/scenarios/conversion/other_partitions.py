"""The model is partitioned otherwise than the folders are."""

from pytest_delta_schema.testing.parts import *

before = None
parquet = columns(column("id"), Column("region", TEXT), partitioned_by=["region"])
after = columns(column("id"), Column("region", TEXT), partitioned_by=["id"], convert_from="parquet")
rows = ({"id": 1, "region": "EU"},)

plan = """
~ format: parquet -> delta
~ layout: partitioned by (region) -> partitioned by (id)
"""

sql = """
CONVERT TO DELTA `dev`.`silver`.`orders`;

CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`id`)
AS SELECT * FROM `dev`.`silver`.`orders`;
"""

refused = ("DS216", "DS217")
