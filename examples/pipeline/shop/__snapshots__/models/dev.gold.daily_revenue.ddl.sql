CREATE SCHEMA IF NOT EXISTS `dev`.`gold`;

CREATE TABLE `dev`.`gold`.`daily_revenue` (
  `day` DATE NOT NULL,
  `country` CHAR(2) NOT NULL COMMENT 'Of the customer on that day',
  `orders` BIGINT NOT NULL,
  `revenue` DECIMAL(28,2) NOT NULL
)
USING DELTA
COMMENT 'Paid orders by day and country';

ALTER TABLE `dev`.`gold`.`daily_revenue` ADD CONSTRAINT `pk_dev_gold_daily_revenue__day_country` PRIMARY KEY (`day`, `country`);
