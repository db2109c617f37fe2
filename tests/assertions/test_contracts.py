"""Rows against a contract, before anything is written, and tracebacks that end in the project."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, assert_rows_satisfy
from pytest_delta_schema.diagnostics.errors import RowsError
from support.models import column, table
from support.runs import failures


@pytest.fixture
def model():
    return table(
        column(is_nullable=False),
        Column("name", spark.VarcharType(5)),
        Column("xs", spark.ArrayType(spark.StructType([spark.StructField("a", spark.IntegerType())]))),
        column("n", is_nullable=False),
        checks=[Check("short", "name IS NULL OR length(name) < 4"), Check("positive", "id > 0")],
        primary_key=["id"],
    )


def frame(local_session, rows, schema="id bigint, name string, xs array<struct<A: int>>, n bigint"):
    return local_session.spark.createDataFrame(rows, schema)


@pytest.mark.spark
def test_every_violation_of_rows_is_reported_at_once(local_session, model):
    rows = [(1, "abcd", None, 1), (1, None, None, None), (None, None, None, 1), (0, None, None, 1)]

    with pytest.raises(RowsError) as caught:
        assert_rows_satisfy(model, frame(local_session, rows))

    assert isinstance(caught.value, AssertionError)
    assert [(violation.path, violation.message) for violation in caught.value.diagnostics] == [
        ("columns.id", "column id is NULL in 1 of 4 rows"),
        ("columns.n", "column n is NULL in 1 of 4 rows"),
        ("checks.positive", "check positive (id > 0) is not met by 2 of 4 rows"),
        ("checks.short", "check short (name IS NULL OR length(name) < 4) is not met by 1 of 4 rows"),
        ("primary_key", "primary key (id) is repeated by 1 of 4 rows"),
    ]


@pytest.mark.spark
def test_columns_that_the_table_fills_are_taken_as_it_fills_them(local_session):
    model = table(
        column(is_nullable=False, identity=True),
        column("n", is_nullable=False, default="1 + 1"),
        column("twice", is_nullable=False, generated_as="n * 2"),
        column("given", is_nullable=False),
        primary_key=["id"],
        checks=[Check("small", "twice < 9")],
    )

    assert_rows_satisfy(model, frame(local_session, [(7,), (7,)], "given bigint"))
    with pytest.raises(RowsError) as caught:
        assert_rows_satisfy(model, frame(local_session, [(5,)], "n bigint"))

    assert [violation.path for violation in caught.value.diagnostics] == ["columns.given", "checks.small"]


MODELS = """
orders = table("dev.silver.orders", Column("id", LongType()), comment="Orders")
"""
USER = """
from pyspark.sql.types import LongType, StringType, StructField, StructType
from models import orders
from pytest_delta_schema import assert_accepts, assert_evolves, assert_no_drift, assert_rejects, assert_rows_satisfy

FRAME = StructType([StructField("id", LongType())])
"""


CALLS = [
    (
        "assert_no_drift(orders, catalog=delta_catalog)",
        "DriftError: dev.silver.orders has drifted, 1 change: comment",
    ),
    (
        "assert_no_drift('orders', catalog=delta_catalog)",
        "DeclarationError: assert_no_drift takes models, and was given 'orders'; *",
    ),
    ("assert_rows_satisfy([1], orders)", "DeclarationError: *, and was given [[]1] as model; give a Table"),
    (
        "assert_rows_satisfy(orders, [{'id': 1}])",
        "DeclarationError: dev.silver.orders: assert_rows_satisfy was given rows as list; make a frame of Spark: *",
    ),
    (
        "assert_accepts(orders, StructType([*FRAME, StructField('b', LongType())]))",
        "WriteError: dev.silver.orders: the write is refused*",
    ),
    ("assert_rejects(orders, FRAME)", "WriteError: dev.silver.orders: the write is accepted, and should be*"),
    ("assert_evolves(orders, FRAME, to=orders)", "WriteError: dev.silver.orders: the write is accepted, and does*"),
]


def test_a_failure_shows_no_line_of_the_package(project):
    project.models(MODELS)
    project.catalog('MemoryCatalog([stored("dev.silver.orders", OLD)])')
    tests = [f"def test_{number}(delta_catalog):\n    {call}\n" for number, (call, _) in enumerate(CALLS)]
    project.pytester.makepyfile(test_user=USER + "".join(tests))

    result = project.run("test_user.py")

    result.assert_outcomes(failed=len(CALLS))
    shown = failures(result)
    for number, (call, text) in enumerate(CALLS):
        error = f"E * pytest_delta_schema.diagnostics.errors.{text}"
        pytest.LineMatcher(shown[f"test_{number}"]).fnmatch_lines([f">   *{call.split('(')[0]}*", error])
    result.stdout.no_fnmatch_line("*pytest_delta_schema/*.py:*")


@pytest.mark.spark
def test_types_and_undeclared_columns_are_named(local_session, model):
    rows = frame(local_session, [("1", 1, {"a": 1})], "id string, more int, xs map<string, int>")

    with pytest.raises(RowsError) as caught:
        assert_rows_satisfy(model, rows)

    assert [violation.message for violation in caught.value.diagnostics] == [
        "column id is string in the rows and bigint in the model",
        "column more is not in the model",
        "column xs is map<string, int> in the rows and array<struct<a: int>> in the model",
        "column n is NULL in 1 of 1 row",
    ]
