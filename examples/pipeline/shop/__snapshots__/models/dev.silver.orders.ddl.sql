CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `order_id` BIGINT NOT NULL,
  `customer_id` BIGINT NOT NULL,
  `status` VARCHAR(10) NOT NULL,
  `amount` DECIMAL(18,2) NOT NULL,
  `ordered` DATE NOT NULL,
  `changed` TIMESTAMP NOT NULL COMMENT 'Time of the newest event'
)
USING DELTA
COMMENT 'One row for each order, in its newest state'
TBLPROPERTIES (
  'delta.constraints.known_status' = 'status IN (\'open\', \'paid\', \'cancelled\')',
  'delta.constraints.not_negative' = 'amount >= 0'
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__order_id` PRIMARY KEY (`order_id`);
