"""Which casts fail for some values, so a write that is accepted may still end with an error."""

from __future__ import annotations

import pytest

from pytest_delta_schema.state import ColumnState, StructState
from pytest_delta_schema.write_check.schemas import is_castable, may_fail

EXTREMES = {
    "tinyint": ("127", "-128"),
    "smallint": ("32767", "-32768"),
    "int": ("2147483647", "-2147483648"),
    "bigint": ("9223372036854775807", "-9223372036854775808"),
    "float": ("3.4028235E38", "NaN"),
    "double": ("1.7976931348623157E308", "NaN"),
    "decimal(4,2)": ("99.99", "-99.99"),
    "decimal(10,0)": ("9" * 10, "-" + "9" * 10),
    "decimal(10,2)": ("9" * 8 + ".99",),
    "decimal(19,0)": ("9" * 19,),
    "decimal(38,0)": ("9" * 38,),
    "boolean": ("true", "false"),
    "string": ("x",),
    "varchar(5)": ("x",),
    "date": ("9999-12-31", "0001-01-01"),
    "timestamp": ("+294247-01-10T04:00:54Z", "-290308-12-21T19:59:06Z"),
    "timestamp_ntz": ("9999-12-31T23:59:59", "0001-01-01T00:00:00"),
}
"""The values of each type that others are the least likely to hold, as texts."""


def test_a_value_may_not_fit():
    misfits = [
        *(("bigint", "int"), ("int", "tinyint"), ("double", "bigint"), ("decimal(12,2)", "int"), ("timestamp", "int")),
        *(("decimal(19,0)", "bigint"), ("double", "timestamp"), ("timestamp", "decimal(12,0)"), ("string", "int")),
        *(("string", "timestamp_ntz"), ("varchar(5)", "boolean"), ("decimal(10,2)", "decimal(8,2)")),
        *(("decimal(10,2)", "decimal(10,4)"), ("bigint", "decimal(18,0)"), ("float", "decimal(38,0)")),
    ]
    fits = [
        *(("int", "int"), ("tinyint", "bigint"), ("decimal(11,2)", "int"), ("bigint", "timestamp"), ("boolean", "int")),
        *(("timestamp", "decimal(13,0)"), ("timestamp", "bigint"), ("int", "string"), ("date", "timestamp")),
        *(("bigint", "double"), ("decimal(8,2)", "decimal(10,2)"), ("decimal(10,2)", "decimal(12,4)")),
        *(
            ("int", "decimal(10,0)"),
            ("string", "binary"),
            (StructState((ColumnState("x", "int", True, ""),)), "string"),
        ),
    ]

    assert [pair for pair in (*misfits, *fits) if may_fail(*pair)] == misfits


@pytest.mark.spark
@pytest.mark.parametrize("given", EXTREMES)
def test_spark_refuses_a_value_of_each_cast_that_may_fail(given, spark_catalog):
    wanted = [kind for kind in EXTREMES if kind != given and is_castable(given, kind)]
    rows = ", ".join(f"(CAST('{text}' AS {given}))" for text in EXTREMES[given])
    refused = ", ".join(f"max(try_cast(v AS {kind}) IS NULL)" for kind in wanted)

    (answer,) = spark_catalog.spark.sql(f"SELECT {refused} FROM VALUES {rows} AS t(v)").collect()  # noqa: S608

    assert dict(zip(wanted, answer, strict=True)) == {kind: may_fail(given, kind) for kind in wanted}
