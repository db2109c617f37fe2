CREATE SCHEMA IF NOT EXISTS `dev`.`shop`;

CREATE TABLE `dev`.`shop`.`customers` (
  `id` BIGINT NOT NULL
)
USING DELTA;

ALTER TABLE `dev`.`shop`.`customers` ADD CONSTRAINT `pk_dev_shop_customers__id` PRIMARY KEY (`id`);
