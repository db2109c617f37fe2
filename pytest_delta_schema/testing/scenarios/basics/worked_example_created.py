"""Worked example, created."""

from pytest_delta_schema.testing.parts import *

before = None
after = orders()

plan = """
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 3 columns
+ columns.id: (absent) -> bigint not null
+ columns.created_ts: (absent) -> timestamp
+ columns.amount: (absent) -> decimal(18,2)
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
+ comment: (absent) -> 'Orders table'
+ properties.delta.autoOptimize.optimizeWrite: (absent) -> 'true'
"""

sql = """
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL COMMENT 'Order ID',
  `created_ts` TIMESTAMP COMMENT 'Creation time',
  `amount` DECIMAL(18,2) COMMENT 'Order total'
)
USING DELTA
COMMENT 'Orders table'
TBLPROPERTIES (
  'delta.autoOptimize.optimizeWrite' = 'true'
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
"""
