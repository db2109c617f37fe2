CREATE TABLE `orders` (
  `order_id` BIGINT NOT NULL,
  `customer_id` BIGINT NOT NULL,
  `status` VARCHAR(10) NOT NULL,
  `amount` DECIMAL(18,2) NOT NULL,
  `ordered` DATE NOT NULL,
  `changed` TIMESTAMP NOT NULL COMMENT 'Time of the newest event',
  PRIMARY KEY (`order_id`),
  CONSTRAINT `known_status` CHECK (status IN ('open', 'paid', 'cancelled')),
  CONSTRAINT `not_negative` CHECK (amount >= 0)
)
USING DELTA
COMMENT 'One row for each order, in its newest state';
