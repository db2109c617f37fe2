"""Statements of a team in Spark SQL: 30 tables that it creates, and the changes of a colleague."""

import sys

from pytest_delta_schema import LocalCatalog, open_session

SUBJECTS = (
    "customers",
    "deliveries",
    "invoices",
    "orders",
    "payments",
    "products",
    "returns",
    "shops",
    "suppliers",
    "vouchers",
)

CREATED = tuple(
    statement.format(subject=subject)
    for subject in SUBJECTS
    for statement in (
        """
        CREATE TABLE dev.silver.{subject} (
            id BIGINT NOT NULL COMMENT 'Number in the {subject} system',
            name STRING COMMENT 'Shown to analysts',
            amount DECIMAL(18,2) DEFAULT 0.00,
            state STRING DEFAULT 'new'
        ) USING DELTA COMMENT 'The team''s {subject}'
        TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported', 'team' = 'shop')
        """,
        "ALTER TABLE dev.silver.{subject} ADD CONSTRAINT not_negative CHECK (amount >= 0)",
        """
        CREATE TABLE dev.silver.{subject}_events (
            id BIGINT NOT NULL,
            at TIMESTAMP,
            day DATE COMMENT 'Day of the event',
            body STRUCT<kind: STRING COMMENT 'What happened', tags: ARRAY<STRING>, counts: MAP<STRING, INT>>
        ) USING DELTA PARTITIONED BY (day)
        TBLPROPERTIES ('delta.appendOnly' = 'true', 'team' = 'events')
        """,
        """
        CREATE TABLE dev.silver.{subject}_history (
            id BIGINT NOT NULL,
            valid_from TIMESTAMP NOT NULL,
            valid_to TIMESTAMP COMMENT 'Empty while it is valid',
            version INT
        ) USING DELTA CLUSTER BY (id, valid_from) COMMENT 'All versions of {subject}'
        """,
    )
)

CHANGED = (
    "ALTER TABLE dev.silver.orders ADD COLUMN (coupon STRING COMMENT 'Code that the customer gave')",
    "ALTER TABLE dev.silver.customers ALTER COLUMN name COMMENT 'Full name'",
    "ALTER TABLE dev.silver.products ADD CONSTRAINT known_state CHECK (state IN ('new', 'sold out'))",
    "ALTER TABLE dev.silver.payments_events SET TBLPROPERTIES ('team' = 'finance')",
    "ALTER TABLE dev.silver.shops_history ALTER COLUMN valid_from DROP NOT NULL",
    "COMMENT ON TABLE dev.silver.vouchers_history IS 'All versions of vouchers since 2024'",
)

if __name__ == "__main__":
    with open_session(".delta-warehouse") as session:
        LocalCatalog(session.spark, warehouse=".delta-warehouse").create_schema("dev", "silver")
        for statement in {"create": CREATED, "change": CHANGED}[sys.argv[1]]:
            session.spark.sql(statement)
