CREATE SCHEMA IF NOT EXISTS `shop`.`sales`;

CREATE TABLE `shop`.`sales`.`orders` (
  `id` BIGINT NOT NULL COMMENT 'Order ID',
  `amount` DECIMAL(18,2) COMMENT 'Total in the currency of the shop'
)
USING DELTA
COMMENT 'Orders';

ALTER TABLE `shop`.`sales`.`orders` ADD CONSTRAINT `pk_shop_sales_orders__id` PRIMARY KEY (`id`);
