"""Tables with Iceberg metadata: Delta widens the types that the rule lets pass, and refuses the others."""

from __future__ import annotations

import pytest

from pytest_delta_schema.delta.fields import widens_in_iceberg

pytestmark = pytest.mark.spark

PROPERTIES = (
    "'delta.enableIcebergCompatV2'='true', 'delta.columnMapping.mode'='name', 'delta.enableTypeWidening'='true',"
    " 'delta.enableDeletionVectors'='false'"
)
WIDENINGS = (
    ("tinyint", "int", True),
    ("int", "bigint", True),
    ("float", "double", True),
    ("decimal(10,2)", "decimal(12,2)", True),
    ("int", "double", False),
    ("int", "decimal(10,0)", False),
    ("decimal(10,2)", "decimal(12,3)", False),
    ("date", "timestamp_ntz", False),
)


def test_delta_refuses_what_the_rule_refuses(local):
    sql = local.spark.sql
    columns = ", ".join(f"c{number} {before}" for number, (before, _, _) in enumerate(WIDENINGS))
    sql("CREATE SCHEMA IF NOT EXISTS dev.silver")
    sql(
        f"CREATE TABLE dev.silver.orders ({columns}, n timestamp_ntz) USING delta"
        f" TBLPROPERTIES ({PROPERTIES}, 'delta.feature.timestampNtz'='supported')"
    )
    for number, (before, after, accepted) in enumerate(WIDENINGS):
        change = f"ALTER TABLE dev.silver.orders ALTER COLUMN c{number} TYPE {after}"
        assert widens_in_iceberg(before, after) is accepted
        if accepted:
            sql(change)
        else:
            with pytest.raises(Exception, match="UNSUPPORTED_TYPE_WIDENING"):
                sql(change)
