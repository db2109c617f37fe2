CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
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
