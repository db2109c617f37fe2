"""Values as SQL of exactly the type of their column."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal

import pytest

from pytest_delta_schema.sql.quoting import value_sql
from pytest_delta_schema.state.types import ArrayState, ColumnState, MapState, StructState

XY = StructState((ColumnState("x", "int", True, ""), ColumnState("y's", "string", True, "")))


@pytest.mark.parametrize(
    ("value", "data_type", "sql"),
    [
        (None, "int", "CAST(NULL AS INT)"),
        (None, ArrayState("int", True), "CAST(NULL AS ARRAY<INT>)"),
        (True, "boolean", "TRUE"),
        (1, "tinyint", "1Y"),
        (2, "smallint", "2S"),
        (3, "int", "3"),
        (4, "bigint", "4L"),
        (-(2**63), "bigint", "CAST(-9223372036854775808 AS BIGINT)"),
        (5, "decimal(10,2)", "CAST(5 AS DECIMAL(10,2))"),
        (Decimal("1.50"), "decimal(10,2)", "CAST(1.50 AS DECIMAL(10,2))"),
        (1.5, "double", "CAST('1.5' AS DOUBLE)"),
        (float("nan"), "float", "CAST('nan' AS FLOAT)"),
        ("it's", "string", "'it\\'s'"),
        ("a", "varchar(5)", "CAST('a' AS VARCHAR(5))"),
        (b"\x01\xff", "binary", "X'01FF'"),
        (date(2024, 1, 2), "date", "DATE'2024-01-02'"),
        (datetime(2024, 1, 2, tzinfo=timezone.utc), "timestamp", "CAST('2024-01-02 00:00:00+00:00' AS TIMESTAMP)"),
        (datetime(2024, 1, 2), "timestamp_ntz", "CAST('2024-01-02 00:00:00' AS TIMESTAMP_NTZ)"),  # noqa: DTZ001
        ({"x": 1}, XY, "named_struct('x', 1, 'y\\'s', CAST(NULL AS STRING))"),
        ((1, "a"), XY, "named_struct('x', 1, 'y\\'s', 'a')"),
        ([1, None], ArrayState("int", True), "array(1, CAST(NULL AS INT))"),
        ([], ArrayState("int", True), "CAST(array() AS ARRAY<INT>)"),
        ({"a": 1}, MapState("string", "int", True), "map('a', 1)"),
        ({}, MapState("string", "int", True), "CAST(map() AS MAP<STRING, INT>)"),
    ],
    ids=lambda given: str(given)[:30],
)
def test_a_value_is_written_in_its_type(value, data_type, sql):
    assert value_sql(value, data_type) == sql
