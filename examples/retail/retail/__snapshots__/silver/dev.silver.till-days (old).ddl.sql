CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`till-days (old)` (
  `Till No.` INT NOT NULL,
  `day` DATE NOT NULL,
  `total, gross` DECIMAL(18,2) COMMENT 'Incl. 19 % VAT; \'as printed\'',
  `ñ ``quoted``` STRING
)
USING DELTA
COMMENT 'Daily closing, from before 2010 🧾'
TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name',
  'delta.logRetentionDuration' = 'interval 30 days',
  'team' = 'tills'
);

ALTER TABLE `dev`.`silver`.`till-days (old)` ADD CONSTRAINT `pk_dev_silver_till-days (old)__till no._day` PRIMARY KEY (`Till No.`, `day`);
