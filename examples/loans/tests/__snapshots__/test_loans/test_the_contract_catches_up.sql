-- dev.lending.loans_by_state: 1 change, metadata
--   ~ columns.amount.comment  '' -> 'Sum of the loans, in dollars'

ALTER TABLE `dev`.`lending`.`loans_by_state` ALTER COLUMN
  `amount` COMMENT 'Sum of the loans, in dollars';
