-- dev.shop.orders: 1 change, scan
--   + checks.positive_amount  (absent) -> amount >= 0  [scan: clients that do not know checkConstraints can no longer write the table]

ALTER TABLE `dev`.`shop`.`orders` ADD CONSTRAINT `positive_amount` CHECK (amount >= 0);
