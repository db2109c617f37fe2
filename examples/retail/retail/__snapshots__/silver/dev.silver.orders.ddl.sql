CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `order_id` BIGINT NOT NULL COMMENT 'Order',
  `customer_id` BIGINT NOT NULL,
  `ordered_at` TIMESTAMP NOT NULL COMMENT 'UTC',
  `lines` ARRAY<STRUCT<`sku`: STRING, `quantity`: INT, `price`: DECIMAL(18,2) COMMENT 'Of one'>> COMMENT 'As ordered'
)
USING DELTA
COMMENT 'One row an order'
TBLPROPERTIES (
  'delta.logRetentionDuration' = 'interval 30 days',
  'team' = 'retail'
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__order_id` PRIMARY KEY (`order_id`);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__customer_id` FOREIGN KEY (`customer_id`) REFERENCES `dev`.`silver`.`customers` (`customer_id`);
