CREATE SCHEMA IF NOT EXISTS `dev`.`bronze`;

CREATE TABLE `dev`.`bronze`.`order_events` (
  `payload` STRING COMMENT 'JSON, as the shop sent it',
  `source` STRING NOT NULL COMMENT 'Name of the file',
  `loaded` TIMESTAMP DEFAULT current_timestamp()
)
USING DELTA
COMMENT 'Everything that happened to orders, as it arrived'
TBLPROPERTIES (
  'delta.feature.allowColumnDefaults' = 'supported',
  'delta.appendOnly' = 'true'
);
