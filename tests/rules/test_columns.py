"""A mistyped column is answered with the nearest one, wherever a declaration names columns."""

from __future__ import annotations

from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Table, Unique
from pytest_delta_schema.delta.names import nearest_name, proposal
from pytest_delta_schema.rules import PlanValidator
from support.snapshots import ReviewedCases

ADDRESS = spark.StructType([spark.StructField("city", spark.StringType())])
COLUMNS = [Column("OrderId", "bigint", is_nullable=False), Column("amount", "int"), Column("address", ADDRESS)]


def unknown_columns(declared):
    model = Table("dev", "silver", "orders", [*COLUMNS, *declared.pop("more", [])], **declared)
    return "\n".join(f"{each.message}; {each.remedy}" for each in PlanValidator().model_violations([model]))


def test_the_nearest_column_is_named(reviewed):
    case = ReviewedCases(unknown_columns)
    case.unnamed({"primary_key": ["order_id"]})
    case.unnamed({"primary_key": ["note"]})
    key = ForeignKey(["amuont"], "dev.silver.parents", ["id"])
    case.unnamed({"foreign_keys": [key]})
    case.unnamed({"unique": [Unique(["Amounts"])]})
    case.unnamed({"partitioned_by": ["amont"]})
    case.unnamed({"clustered_by": ["address.cty"]})
    case.unnamed({"checks": [Check("positive", "amuont > 0")]})
    case.unnamed({"more": [Column("twice", "int", generated_as="amuont * 2")]})
    assert case.text == reviewed


def test_names_are_compared_without_case():
    for name, names, nearest in [
        ("AMUONT", ["id", "Amount"], "Amount"),
        ("note", ["id", "amount"], None),
        ("id", [], None),
    ]:
        assert nearest_name(name, names) == nearest
        assert proposal(name, iter(names), "declare it") == (f"did you mean {nearest}?" if nearest else "declare it")
