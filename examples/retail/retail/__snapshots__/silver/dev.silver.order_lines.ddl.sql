CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`order_lines` (
  `order_id` BIGINT NOT NULL,
  `line_no` INT NOT NULL,
  `sku` STRING NOT NULL,
  `quantity` INT,
  `price` DECIMAL(18,2)
)
USING DELTA
COMMENT 'Orders, flat'
TBLPROPERTIES (
  'delta.logRetentionDuration' = 'interval 30 days',
  'team' = 'retail',
  'delta.constraints.counted_from_one' = 'line_no >= 1',
  'delta.constraints.something_ordered' = 'quantity IS NULL OR quantity > 0'
);

ALTER TABLE `dev`.`silver`.`order_lines` ADD CONSTRAINT `pk_dev_silver_order_lines__order_id_line_no` PRIMARY KEY (`order_id`, `line_no`);

ALTER TABLE `dev`.`silver`.`order_lines` ADD CONSTRAINT `fk_dev_silver_order_lines__order_id` FOREIGN KEY (`order_id`) REFERENCES `dev`.`silver`.`orders` (`order_id`);

ALTER TABLE `dev`.`silver`.`order_lines` ADD CONSTRAINT `what_was_ordered` FOREIGN KEY (`sku`) REFERENCES `dev`.`silver`.`products` (`sku`);
