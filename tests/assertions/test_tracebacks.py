"""What pytest shows of a failed assertion: the caller's line, and none of this package."""

from __future__ import annotations

import pytest

MODELS = """
orders = table("dev.silver.orders", Column("id", LongType()), comment="Orders")
invalid = table("dev.silver.invalid")
"""
USER = """
from pyspark.sql.types import LongType, StringType, StructField, StructType
from models import invalid, orders
from pytest_delta_schema import assert_accepts, assert_evolves, assert_no_drift, assert_rejects, assert_rows_satisfy

FRAME = StructType([StructField("id", LongType())])

def test_it(delta_catalog):
    {call}
"""


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            "assert_no_drift(orders, catalog=delta_catalog)",
            "DriftError: dev.silver.orders has drifted, 1 change: comment",
        ),
        ("assert_no_drift(invalid, catalog=delta_catalog)", "InvalidModelError: dev.silver.invalid: *"),
        ("assert_rows_satisfy(invalid, None)", "InvalidModelError: dev.silver.invalid: *"),
        (
            "assert_no_drift('orders', catalog=delta_catalog)",
            "DeclarationError: assert_no_drift takes models, and was given 'orders'; *",
        ),
        (
            "assert_no_drift([orders, 1, None], catalog=delta_catalog)",
            "DeclarationError: *, and was given 1, None; give the Tables*",
        ),
        (
            "assert_no_drift(5, catalog=delta_catalog)",
            "DeclarationError: assert_no_drift takes models, and was given 5; *",
        ),
        ("assert_rows_satisfy([1], orders)", "DeclarationError: *, and was given [[]1] as model; give a Table"),
        (
            "assert_rows_satisfy(orders, [{'id': 1}])",
            "DeclarationError: dev.silver.orders: assert_rows_satisfy was given rows as list; make a frame of Spark: *",
        ),
        ("assert_accepts(orders, FRAME.add('b', LongType()))", "WriteError: dev.silver.orders: the write is refused*"),
        ("assert_rejects(orders, FRAME)", "WriteError: dev.silver.orders: the write is accepted, and should be*"),
        ("assert_evolves(orders, FRAME, to=orders)", "WriteError: dev.silver.orders: the write is accepted, and does*"),
    ],
)
def test_a_failure_shows_no_line_of_the_package(project, call, text):
    project.models(MODELS)
    project.catalog('MemoryCatalog([stored("dev.silver.orders", OLD)])')
    project.pytester.makepyfile(test_user=USER.format(call=call))

    result = project.run("test_user.py")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f">   *{call.split('(')[0]}*", f"E * pytest_delta_schema.diagnostics.errors.{text}"])
    result.stdout.no_fnmatch_line("*pytest_delta_schema/*.py:*")
