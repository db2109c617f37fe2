-- dev.shop.orders: 3 changes, feature
--   + columns.day          (absent)                          -> date
--   ~ layout               neither partitioned nor clustered -> clustered by (day, customer_id)  [feature: clients that do not know clustering, domainMetadata can no longer write the table]
--   ~ columns.day.comment  ''                                -> 'The day on which it was taken'

ALTER TABLE `dev`.`shop`.`orders` ADD COLUMNS (
  `day` DATE
);

ALTER TABLE `dev`.`shop`.`orders` CLUSTER BY (`day`, `customer_id`);

ALTER TABLE `dev`.`shop`.`orders` ALTER COLUMN
  `day` COMMENT 'The day on which it was taken';
