-- dev.shop.orders: created, metadata
--   + schema dev.shop  (absent) -> created
--   + table            (absent) -> created with 4 columns
--   + columns.id       (absent) -> bigint
--   + columns.cust     (absent) -> int
--   + columns.amount   (absent) -> decimal(9,2)
--   + columns.taken    (absent) -> timestamp

CREATE SCHEMA IF NOT EXISTS `dev`.`shop`;

CREATE TABLE `dev`.`shop`.`orders` (
  `id` BIGINT,
  `cust` INT,
  `amount` DECIMAL(9,2),
  `taken` TIMESTAMP
)
USING DELTA;
