"""Silver: keep all versions of each customer (slowly changing dimension, type 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

UPDATE = "customer_id bigint, name string, country string, valid_from date"
CHANGED = """
    newest.valid_from IS NULL
    OR updates.valid_from > newest.valid_from
    AND (updates.name <> newest.name OR updates.country <> newest.country)
"""

# Each change is there twice: with a key that finds the version to close, and without one, for the new version.
MERGE = """
    MERGE INTO {table} AS customers
    USING (
        SELECT customer_id AS closes, * FROM {changes}
        UNION ALL
        SELECT NULL AS closes, * FROM {changes}
    ) AS changes
    ON customers.customer_id = changes.closes AND customers.valid_to IS NULL
    WHEN MATCHED THEN UPDATE SET valid_to = changes.valid_from
    WHEN NOT MATCHED AND closes IS NULL THEN INSERT (customer_id, name, country, valid_from)
        VALUES (changes.customer_id, changes.name, changes.country, changes.valid_from)
"""


def changed_customers(updates: DataFrame, customers: DataFrame) -> DataFrame:
    """Return the updates that need a new version: of new customers, and of those who have other values now."""
    newest = customers.where("valid_to IS NULL").alias("newest")
    return updates.alias("updates").join(newest, "customer_id", "left").where(CHANGED).select("updates.*")


def update_customers(updates: DataFrame, customers: str) -> None:
    """Merge updates into ``customers``.

    Args:
        updates: One row for each customer, with the columns of ``UPDATE``.
        customers: Name of the table.
    """
    spark = updates.sparkSession
    changes = changed_customers(updates, spark.table(customers))
    spark.sql(MERGE.replace("{table}", customers), changes=changes)
