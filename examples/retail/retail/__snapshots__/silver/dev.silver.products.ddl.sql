CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`products` (
  `sku` STRING NOT NULL COMMENT 'Stock keeping unit',
  `title` STRING COMMENT 'In the shop\'s language; 100% of them have one',
  `tags` ARRAY<STRING>,
  `price` DECIMAL(18,2)
)
USING DELTA
COMMENT 'What is sold'
TBLPROPERTIES (
  'delta.logRetentionDuration' = 'interval 30 days',
  'team' = 'retail'
);

ALTER TABLE `dev`.`silver`.`products` ADD CONSTRAINT `pk_dev_silver_products__sku` PRIMARY KEY (`sku`);
