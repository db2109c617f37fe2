CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL COMMENT 'Order',
  `status` STRING COMMENT 'Where it is'
)
USING DELTA
COMMENT 'Orders of the shop';
