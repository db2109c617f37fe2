CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`customers` (
  `customer_id` BIGINT NOT NULL COMMENT 'Customer',
  `name` STRING NOT NULL,
  `addresses` MAP<STRING, STRUCT<`street`: STRING COMMENT 'With the number'>> COMMENT 'By purpose',
  `home` STRUCT<`street`: STRING COMMENT 'With the number', `city`: STRING NOT NULL, `country`: STRING NOT NULL COMMENT 'ISO 3166, two letters'> COMMENT 'Where goods go',
  `is_active` BOOLEAN
)
USING DELTA
COMMENT 'One row a customer; "active" is what the till\'s \\-flag says'
TBLPROPERTIES (
  'delta.logRetentionDuration' = 'interval 30 days',
  'team' = 'retail'
);

ALTER TABLE `dev`.`silver`.`customers` ADD CONSTRAINT `pk_dev_silver_customers__customer_id` PRIMARY KEY (`customer_id`);
