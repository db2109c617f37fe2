-- dev.shop.orders: 4 changes, rewrite
--   - checks.positive_amount  amount >= 0                     -> (replaced)
--   ~ layout                  clustered by (day, customer_id) -> partitioned by (day)  [rewrite]
--   + checks.positive_amount  (absent)                        -> amount BETWEEN 0 AND 100000  [scan]
--   + properties.team         (absent)                        -> 'archive'

ALTER TABLE `dev`.`shop`.`orders` DROP CONSTRAINT `positive_amount`;

CREATE OR REPLACE TABLE `dev`.`shop`.`orders`
USING DELTA
PARTITIONED BY (`day`)
AS SELECT * FROM `dev`.`shop`.`orders`;

ALTER TABLE `dev`.`shop`.`orders` ADD CONSTRAINT `positive_amount` CHECK (amount BETWEEN 0 AND 100000);

ALTER TABLE `dev`.`shop`.`orders` SET TBLPROPERTIES (
  'team' = 'archive'
);
