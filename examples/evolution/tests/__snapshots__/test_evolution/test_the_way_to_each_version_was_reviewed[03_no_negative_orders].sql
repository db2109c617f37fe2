-- dev.shop.orders: 1 change, scan
--   + checks.positive_amount  (absent) -> amount >= 0  [scan]

ALTER TABLE `dev`.`shop`.`orders` ADD CONSTRAINT `positive_amount` CHECK (amount >= 0);
