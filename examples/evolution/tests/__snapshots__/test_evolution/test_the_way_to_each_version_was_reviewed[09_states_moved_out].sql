-- dev.shop.orders: 1 change, destructive
--   - columns.state  string default 'new' -> (not in the model)  [destructive]

ALTER TABLE `dev`.`shop`.`orders` DROP COLUMNS (`state`);
