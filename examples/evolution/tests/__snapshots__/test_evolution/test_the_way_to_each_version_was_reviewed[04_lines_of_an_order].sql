-- dev.shop.orders: 4 changes, feature
--   + properties.delta.feature.allowColumnDefaults  (absent) -> 'supported'  [feature: clients that do not know allowColumnDefaults can no longer write the table]
--   + columns.lines                                 (absent) -> array<struct<sku: string>>
--   + columns.state                                 (absent) -> string
--   + columns.state.default                         (absent) -> 'new'

ALTER TABLE `dev`.`shop`.`orders` SET TBLPROPERTIES (
  'delta.feature.allowColumnDefaults' = 'supported'
);

ALTER TABLE `dev`.`shop`.`orders` ADD COLUMNS (
  `lines` ARRAY<STRUCT<`sku`: STRING>>,
  `state` STRING
);

ALTER TABLE `dev`.`shop`.`orders` ALTER COLUMN
  `state` SET DEFAULT 'new';
