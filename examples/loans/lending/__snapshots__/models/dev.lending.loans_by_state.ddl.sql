CREATE SCHEMA IF NOT EXISTS `dev`.`lending`;

CREATE TABLE `dev`.`lending`.`loans_by_state` (
  `addr_state` STRING COMMENT 'Two letters',
  `count` BIGINT COMMENT 'Loans of the state'
)
USING DELTA
COMMENT 'Loans by state';
