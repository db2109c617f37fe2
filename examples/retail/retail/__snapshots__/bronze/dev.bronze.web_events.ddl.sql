CREATE SCHEMA IF NOT EXISTS `dev`.`bronze`;

CREATE TABLE `dev`.`bronze`.`web_events` (
  `payload` BINARY COMMENT 'Avro',
  `offset` BIGINT,
  `headers` MAP<STRING, STRING> COMMENT 'Of the message',
  `_source` STRING COMMENT 'File or topic',
  `_arrived` TIMESTAMP COMMENT 'When it was read'
)
USING DELTA
TBLPROPERTIES (
  'delta.appendOnly' = 'true',
  'delta.logRetentionDuration' = 'interval 30 days',
  'team' = 'retail'
);
