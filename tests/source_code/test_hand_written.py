"""What an author is told to write by hand."""

from __future__ import annotations

from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Table, Unique
from pytest_delta_schema.source_code.calls import Variable
from pytest_delta_schema.source_code.edits import hand_written

PARENT = Table("dev", "s", "p", [Column("id", spark.LongType())], primary_key=["id"])
DECLARED = Table(
    "dev",
    "s",
    "t",
    [Column("id", spark.LongType()), Column("b", spark.DateType()), Column("c", spark.DateType())],
    table_properties={"a": "1", "b": "2", "z": "0"},
    checks=[Check("c", "id > 0")],
    column_order="report",
    clustered_by=["id", "b"],
    unique=[Unique(["id", "b"]), Unique(["c"])],
    primary_key=["id", "b"],
)
WANTED = Table(
    "dev",
    "s",
    "t",
    [Column("c", spark.DateType()), Column("id", spark.StringType(), comment="it's"), Column("x", spark.LongType())],
    table_properties={"a": "2", "c": "3", "z": "0"},
    comment="new",
    clustered_by=["id", "c"],
    foreign_keys=[ForeignKey(["id"], PARENT)],
    unique=[Unique(["c"]), Unique(["id", "b"])],
    primary_key=["b", "id"],
)


def test_each_difference_is_a_line():
    assert hand_written(DECLARED, WANTED, {PARENT.name: Variable("p", ("id",))}) == (
        'columns: write Column("id", StringType(), comment="it\'s")',
        'columns: remove Column("b", DateType())',
        'columns: add Column("x", LongType())',
        "columns: put into the order c, id, x",
        'table_properties: write "a": "2"',
        'table_properties: remove "b": "2"',
        'table_properties: add "c": "3"',
        "primary_key: put into the order b, id",
        'remove checks=[Check("c", "id > 0")]',
        'clustered_by: remove "b"',
        'clustered_by: add "c"',
        'remove column_order="report"',
        "unique: put into the order c, id and b",
        'write comment="new"',
        'write foreign_keys=[ForeignKey(["id"], p)]',
    )


def test_nothing_is_to_do_where_nothing_differs():
    assert hand_written(DECLARED, DECLARED) == ()
