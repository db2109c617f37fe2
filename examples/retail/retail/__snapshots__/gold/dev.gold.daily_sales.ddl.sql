CREATE SCHEMA IF NOT EXISTS `dev`.`gold`;

CREATE TABLE `dev`.`gold`.`daily_sales` (
  `day` DATE NOT NULL,
  `country` STRING NOT NULL,
  `orders` BIGINT NOT NULL,
  `turnover` DECIMAL(18,2)
)
USING DELTA
COMMENT 'A row a day and country'
TBLPROPERTIES (
  'delta.logRetentionDuration' = 'interval 30 days',
  'team' = 'retail'
);

ALTER TABLE `dev`.`gold`.`daily_sales` ADD CONSTRAINT `pk_dev_gold_daily_sales__day_country` PRIMARY KEY (`day`, `country`);
