"""The matrix of type widening, as it was run on released Delta."""

from __future__ import annotations

import pytest

from pytest_delta_schema.delta.fields import Widening, widening
from pytest_delta_schema.state.types import ArrayState

ALWAYS, FEATURE = Widening.ALWAYS, Widening.BY_FEATURE


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("tinyint", "smallint", FEATURE),
        ("tinyint", "int", FEATURE),
        ("tinyint", "bigint", FEATURE),
        ("smallint", "int", FEATURE),
        ("int", "bigint", FEATURE),
        ("bigint", "int", None),
        ("int", "smallint", None),
        ("tinyint", "double", FEATURE),
        ("int", "double", FEATURE),
        ("bigint", "double", None),
        ("float", "double", FEATURE),
        ("double", "float", None),
        ("int", "float", None),
        ("tinyint", "decimal(10,0)", FEATURE),
        ("int", "decimal(10,0)", FEATURE),
        ("int", "decimal(12,2)", FEATURE),
        ("int", "decimal(11,2)", None),
        ("int", "decimal(9,0)", None),
        ("bigint", "decimal(20,0)", FEATURE),
        ("bigint", "decimal(19,0)", None),
        ("bigint", "decimal(21,1)", FEATURE),
        ("decimal(5,2)", "decimal(6,2)", FEATURE),
        ("decimal(5,2)", "decimal(7,4)", FEATURE),
        ("decimal(5,2)", "decimal(6,4)", None),
        ("decimal(5,2)", "decimal(5,3)", None),
        ("decimal(5,2)", "decimal(4,1)", None),
        ("decimal(5,2)", "bigint", None),
        ("float", "decimal(38,10)", None),
        ("date", "timestamp_ntz", FEATURE),
        ("date", "timestamp", None),
        ("timestamp_ntz", "timestamp", None),
        ("varchar(3)", "varchar(5)", ALWAYS),
        ("varchar(5)", "varchar(3)", None),
        ("char(3)", "varchar(3)", ALWAYS),
        ("char(3)", "varchar(2)", None),
        ("char(3)", "char(5)", None),
        ("varchar(3)", "char(5)", None),
        ("varchar(3)", "string", ALWAYS),
        ("char(3)", "string", ALWAYS),
        ("varchar(3)", "bigint", None),
        ("string", "varchar(9)", None),
        ("int", "string", None),
        ("boolean", "int", None),
        ("int", "int", None),
        ("int", ArrayState("int", True), None),
        (ArrayState("int", True), ArrayState("bigint", True), None),
    ],
)
def test_delta_4(before, after, expected):
    assert widening(before, after) is expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("tinyint", "smallint", FEATURE),
        ("tinyint", "int", FEATURE),
        ("smallint", "int", FEATURE),
        ("int", "bigint", None),
        ("float", "double", None),
        ("decimal(5,2)", "decimal(6,2)", None),
        ("varchar(3)", "varchar(5)", ALWAYS),
    ],
)
def test_delta_3(before, after, expected):
    assert widening(before, after, (3, 3)) is expected
