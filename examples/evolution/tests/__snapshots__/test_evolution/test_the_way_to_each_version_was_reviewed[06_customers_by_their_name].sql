-- dev.shop.orders: 2 changes, feature
--   + properties.delta.columnMapping.mode  (absent) -> 'name'  [feature: clients that do not know columnMapping can neither read nor write the table]
--   ~ columns.cust                         cust     -> customer_id (renamed)

ALTER TABLE `dev`.`shop`.`orders` SET TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name'
);

ALTER TABLE `dev`.`shop`.`orders` RENAME COLUMN `cust` TO `customer_id`;
