CREATE SCHEMA IF NOT EXISTS `dev`.`gold`;

CREATE TABLE `dev`.`gold`.`customer_value` (
  `customer_id` BIGINT NOT NULL,
  `lifetime_value` DECIMAL(18,2),
  `churn_risk` DOUBLE COMMENT '0 to 1'
)
USING DELTA
COMMENT 'A row a customer'
TBLPROPERTIES (
  'delta.logRetentionDuration' = 'interval 30 days',
  'team' = 'retail',
  'delta.constraints.risk_is_a_share' = 'churn_risk IS NULL OR churn_risk BETWEEN 0 AND 1'
);

ALTER TABLE `dev`.`gold`.`customer_value` ADD CONSTRAINT `pk_dev_gold_customer_value__customer_id` PRIMARY KEY (`customer_id`);

ALTER TABLE `dev`.`gold`.`customer_value` ADD CONSTRAINT `fk_dev_gold_customer_value__customer_id` FOREIGN KEY (`customer_id`) REFERENCES `dev`.`silver`.`customers`;
