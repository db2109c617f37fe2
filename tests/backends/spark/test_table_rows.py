"""Rows, commits and older states of tables, through every catalog that reads them by Spark."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import CatalogReadError, Check, Column, Orchestrator, assert_table_equals, state_text
from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog
from pytest_delta_schema.diagnostics.errors import RowsDifferError, StatementError
from pytest_delta_schema.testing.scenario import TEXT
from support.installed import INSTALLED
from support.tables import NAME, column, table

pytestmark = pytest.mark.spark

HAS_SERVER = INSTALLED.spark >= (4, 0)
WITHOUT_SERVER = pytest.mark.skipif(not HAS_SERVER, reason="Spark 3.5 does not contain the server of Spark Connect")

MIXED = (
    column(is_nullable=False),
    Column("amount", spark.DecimalType(18, 2)),
    Column("ratio", spark.DoubleType()),
    Column("at", spark.TimestampType()),
    Column("code", spark.CharType(4)),
    Column("raw", spark.BinaryType()),
    Column("tags", spark.MapType(TEXT, spark.StructType([spark.StructField("n", spark.FloatType())]))),
    Column("lines", spark.ArrayType(spark.StructType([spark.StructField("sku", TEXT)]))),
)
UTC = datetime(2026, 1, 31, 8, tzinfo=timezone.utc)
ROWS: list[dict[str, Any]] = [
    {
        "id": 1,
        "amount": 10,
        "ratio": float("nan"),
        "at": UTC,
        "code": "a",
        "raw": b"x",
        "tags": {"a": {"n": 0.1}, "b": None},
        "lines": [("s",)],
    },
    {"id": 2},
    {"id": 2},
]


@pytest.fixture(params=["local", "session", pytest.param("connect", marks=WITHOUT_SERVER)])
def catalog(request, local):
    """A catalog that reads the table which the local one has made."""
    made = table(*MIXED)
    Orchestrator.over(local).sync_tables([made])
    local.insert(NAME, ROWS)
    Orchestrator.over(local).sync_tables([table(*MIXED, column("more"), checks=[Check("positive", "id > 0")])])
    if request.param == "local":
        return local
    return SessionCatalog(local.spark if request.param == "session" else request.getfixturevalue("remote"))


def test_rows_and_versions_are_read(catalog):
    assert_table_equals("dev.silver.orders", ROWS, catalog=catalog)
    assert_table_equals("dev.silver.orders", catalog.spark.table("dev.silver.orders"), catalog=catalog)
    with pytest.raises(RowsDifferError) as caught:
        assert_table_equals("dev.silver.orders", [ROWS[0] | {"amount": Decimal("9.5")}, ROWS[1]], catalog=catalog)
    assert str(caught.value).startswith("dev.silver.orders: 2 rows expected, 3 in the table; 1 missing, 2 unexpected\n")
    assert "~ amount decimal(18,2)" in str(caught.value)
    with pytest.raises(StatementError, match=r"row 1, column at: .* does not fit timestamp"):
        assert_table_equals("dev.silver.orders", [{"id": 1, "at": "2026-01-31"}], catalog=catalog)

    commits = catalog.commits(NAME)
    assert [commit.operation for commit in commits] == ["CREATE TABLE", "WRITE", "ADD COLUMNS", "ADD CONSTRAINT"]
    assert [commit.version for commit in commits] == [0, 1, 2, 3]
    assert (commits[1].metrics["numOutputRows"], [file.rows for file in commits[1].added]) == (3, [3])
    assert commits[1].timestamp.tzinfo is timezone.utc
    assert catalog.commits(NAME, first=3) == commits[3:]
    assert [len(catalog.rows(NAME, version=version)) for version in (0, 1)] == [0, 3]

    older, newer = (state_text("dev.silver.orders", version=version, catalog=catalog) for version in (1, None))
    assert "`more`" not in older
    assert "CHECK" not in older
    assert "  `more` BIGINT,\n  CONSTRAINT `positive` CHECK (id > 0)\n" in newer
    assert state_text("dev.silver.orders", version=3, catalog=catalog) == newer
    with pytest.raises(CatalogReadError, match=r"no commit of version 4; it has those from 0 to 3"):
        state_text("dev.silver.orders", version=4, catalog=catalog)
    with pytest.raises(CatalogReadError, match=r"dev\.silver\.nothing: is not in the catalog"):
        state_text("dev.silver.nothing", version=0, catalog=catalog)
