"""Worked example, aligned."""

from pytest_delta_schema.testing.parts import *

before = columns(column("id"), Column("created_ts", spark.TimestampType()))
after = orders()
rows = ({"id": 1}, {"id": 2})

plan = """
+ columns.amount: (absent) -> decimal(18,2)
~ columns.id: nullable -> not null
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
~ columns.amount.comment: '' -> 'Order total'
~ columns.created_ts.comment: '' -> 'Creation time'
~ columns.id.comment: '' -> 'Order ID'
~ comment: '' -> 'Orders table'
+ properties.delta.autoOptimize.optimizeWrite: (absent) -> 'true'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `amount` DECIMAL(18,2)
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `amount` COMMENT 'Order total',
  `created_ts` COMMENT 'Creation time',
  `id` COMMENT 'Order ID';

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders table';

ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.autoOptimize.optimizeWrite' = 'true'
);
"""
