"""Table properties that Databricks knows and open-source Delta does not."""

from __future__ import annotations

from pytest_delta_schema.testing.parts import ID, columns
from pytest_delta_schema.testing.scenario import Scenario

_REWRITES = "delta.tuneFileSizesForRewrites"

DATABRICKS_PROPERTIES: tuple[Scenario, ...] = (
    Scenario(
        name="databricks_properties/created_with_them",
        description="One commit creates the table, with the properties that open-source Delta does not know.",
        before=None,
        after=columns(
            ID,
            clustered_by=["id"],
            table_properties={
                "delta.liquid.clusteringColumns": "id",
                "delta.logRetentionDuration": "interval 7 days",
                _REWRITES: True,
                "team": "core",
            },
        ),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint not null
+ layout: (absent) -> clustered by (id)
+ properties.delta.liquid.clusteringColumns: (absent) -> 'id'
+ properties.delta.logRetentionDuration: (absent) -> 'interval 7 days'
+ properties.delta.tuneFileSizesForRewrites: (absent) -> 'true'
+ properties.team: (absent) -> 'core'
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL
)
USING DELTA
CLUSTER BY (`id`)
TBLPROPERTIES (
  'delta.liquid.clusteringColumns' = 'id',
  'delta.logRetentionDuration' = 'interval 7 days',
  'delta.tuneFileSizesForRewrites' = 'true',
  'team' = 'core'
);
""",
        commits=1,
    ),
    Scenario(
        name="databricks_properties/set_changed_and_unset",
        description="They are compared as other keys of Delta are: without case, and undeclared ones are kept.",
        before=columns(
            ID,
            table_properties={
                _REWRITES: "true",
                "delta.parquet.compression.codec": "zstd",
                "delta.targetFileSize": "64mb",
                "team": "core",
            },
        ),
        after=columns(
            ID,
            table_properties={
                "DELTA.TUNEFILESIZESFORREWRITES": "false",
                "delta.liquid.clusteringColumns": "id",
                "delta.targetFileSize": None,
                "team": "orders",
            },
        ),
        rows=({"id": 1},),
        plan="""
+ properties.delta.liquid.clusteringColumns: (absent) -> 'id'
~ properties.delta.tuneFileSizesForRewrites: 'true' -> 'false'
~ properties.team: 'core' -> 'orders'
- properties.delta.targetFileSize: '64mb' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.liquid.clusteringColumns' = 'id',
  'delta.tuneFileSizesForRewrites' = 'false',
  'team' = 'orders'
);

ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('delta.targetFileSize');
""",
        commits=2,
    ),
    Scenario(
        name="databricks_properties/nothing_to_do",
        description="Values are compared as those of other keys of Delta.",
        before=columns(ID, table_properties={_REWRITES: "TRUE"}),
        after=columns(
            ID, table_properties={"delta.TuneFileSizesForRewrites": True, "delta.parquet.compression.codec": None}
        ),
        plan="",
        sql="",
        commits=0,
    ),
    Scenario(
        name="databricks_properties/misspelt",
        description="A key that neither open-source Delta nor Databricks knows is refused, whatever the backend.",
        before=columns(ID),
        after=columns(ID, table_properties={"delta.tuneFileSizeForRewrite": "true", "delta.appendOnyl": None}),
        plan="""
+ properties.delta.tuneFileSizeForRewrite: (absent) -> 'true'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.tuneFileSizeForRewrite' = 'true'
);
""",
        refused_by=("DS125", "DS125"),
        commits=0,
    ),
)
