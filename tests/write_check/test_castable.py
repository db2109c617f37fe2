"""Which casts fail for some values, so a write that is accepted may still end with an error."""

from __future__ import annotations

import pytest

from pytest_delta_schema.state.types import ArrayState, ColumnState, StructState
from pytest_delta_schema.write_check.castable import may_fail


def struct(kind):
    return StructState((ColumnState("x", kind, True, ""),))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("bigint", "int"),
        ("int", "tinyint"),
        ("double", "bigint"),
        ("decimal(10,2)", "int"),
        ("timestamp", "int"),
        ("string", "int"),
        ("string", "timestamp_ntz"),
        ("varchar(5)", "boolean"),
        ("decimal(10,2)", "decimal(8,2)"),
        ("decimal(10,2)", "decimal(10,4)"),
        ("bigint", "decimal(18,0)"),
        ("float", "decimal(38,0)"),
        (struct("bigint"), struct("int")),
        (ArrayState("string", True), ArrayState("date", True)),
    ],
    ids=str,
)
def test_a_value_may_not_fit(given, wanted):
    assert may_fail(given, wanted)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("int", "int"),
        ("tinyint", "bigint"),
        ("timestamp", "bigint"),
        ("boolean", "int"),
        ("int", "string"),
        ("date", "timestamp"),
        ("bigint", "double"),
        ("decimal(8,2)", "decimal(10,2)"),
        ("decimal(10,2)", "decimal(12,4)"),
        ("int", "decimal(10,0)"),
        ("string", "binary"),
        (struct("int"), struct("bigint")),
        (struct("int"), "string"),
    ],
    ids=str,
)
def test_every_value_fits(given, wanted):
    assert not may_fail(given, wanted)
