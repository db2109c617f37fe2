CREATE SCHEMA IF NOT EXISTS `dev`.`shop`;

CREATE TABLE `dev`.`shop`.`orders` (
  `id` BIGINT NOT NULL COMMENT 'Order',
  `customer_id` BIGINT,
  `amount` DECIMAL(18,2),
  `taken` TIMESTAMP COMMENT 'When it was taken',
  `lines` ARRAY<STRUCT<`sku`: STRING, `quantity`: BIGINT>>,
  `day` DATE COMMENT 'The day on which it was taken'
)
USING DELTA
PARTITIONED BY (`day`)
COMMENT 'Orders of the shop'
TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name',
  'team' = 'archive',
  'delta.constraints.positive_amount' = 'amount BETWEEN 0 AND 100000'
);

ALTER TABLE `dev`.`shop`.`orders` ADD CONSTRAINT `pk_dev_shop_orders__id` PRIMARY KEY (`id`);

ALTER TABLE `dev`.`shop`.`orders` ADD CONSTRAINT `fk_dev_shop_orders__customer_id` FOREIGN KEY (`customer_id`) REFERENCES `dev`.`shop`.`customers` (`id`);
