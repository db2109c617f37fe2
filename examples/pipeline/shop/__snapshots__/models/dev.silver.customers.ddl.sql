CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`customers` (
  `customer_id` BIGINT NOT NULL,
  `name` STRING NOT NULL,
  `country` CHAR(2) NOT NULL COMMENT 'ISO 3166',
  `valid_from` DATE NOT NULL,
  `valid_to` DATE COMMENT 'The first day of the next version; NULL for the newest one'
)
USING DELTA
COMMENT 'One row for each version of a customer (slowly changing dimension, type 2)'
TBLPROPERTIES (
  'delta.constraints.valid_for_a_day' = 'valid_to IS NULL OR valid_to > valid_from'
);

ALTER TABLE `dev`.`silver`.`customers` ADD CONSTRAINT `pk_dev_silver_customers__customer_id_valid_from` PRIMARY KEY (`customer_id`, `valid_from`);
