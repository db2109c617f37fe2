-- dev.shop.orders: 6 changes, scan
--   + properties.delta.enableTypeWidening  (absent)     -> 'true'  [feature: clients that do not know typeWidening can neither read nor write the table]
--   - checks.positive_amount               amount >= 0  -> (dropped and added again)
--   + columns.lines.element.quantity       (absent)     -> bigint
--   ~ columns.amount                       decimal(9,2) -> decimal(18,2)
--   ~ columns.cust                         int          -> bigint
--   + checks.positive_amount               (absent)     -> amount >= 0  [scan]

ALTER TABLE `dev`.`shop`.`orders` SET TBLPROPERTIES (
  'delta.enableTypeWidening' = 'true'
);

ALTER TABLE `dev`.`shop`.`orders` DROP CONSTRAINT `positive_amount`;

ALTER TABLE `dev`.`shop`.`orders` ADD COLUMNS (
  `lines`.`element`.`quantity` BIGINT
);

ALTER TABLE `dev`.`shop`.`orders` ALTER COLUMN
  `amount` TYPE DECIMAL(18,2),
  `cust` TYPE BIGINT;

ALTER TABLE `dev`.`shop`.`orders` ADD CONSTRAINT `positive_amount` CHECK (amount >= 0);
