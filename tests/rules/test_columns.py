"""A mistyped column is answered with the nearest one, wherever a declaration names columns."""

from __future__ import annotations

from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Table, Unique
from pytest_delta_schema.delta.names import nearest_name, proposal
from pytest_delta_schema.rules import PlanValidator
from support.case_tables import cases

ADDRESS = spark.StructType([spark.StructField("city", spark.StringType())])
COLUMNS = [Column("OrderId", "bigint", is_nullable=False), Column("amount", "int"), Column("address", ADDRESS)]


def unknown_columns(declared):
    model = Table("dev", "silver", "orders", [*COLUMNS, *declared.pop("more", [])], **declared)
    return "\n".join(f"{each.message}; {each.remedy}" for each in PlanValidator().model_violations([model]))


def test_the_nearest_column_is_named():
    amount = "which is not a column of the model; did you mean amount?"
    with cases(unknown_columns) as case:
        lacks = "primary key column {} is not a column of the model; {}"
        case({"primary_key": ["order_id"]}, lacks.format("order_id", "did you mean OrderId?"))
        case({"primary_key": ["note"]}, lacks.format("note", "declare it, or fix the key"))
        key = ForeignKey(["amuont"], "dev.silver.parents", ["id"])
        case({"foreign_keys": [key]}, f"foreign key (amuont) names amuont, {amount}")
        case({"unique": [Unique(["Amounts"])]}, f"unique constraint (Amounts) names Amounts, {amount}")
        text = "partitioned_by names amont, which is not a column; did you mean amount?"
        case({"partitioned_by": ["amont"]}, text)
        text = (
            "clustered_by names address.cty, which is not a column or a field of a struct; did you mean address.city?"
        )
        case({"clustered_by": ["address.cty"]}, text)
        meant = "names amuont (did you mean amount?), which is not a column of the table; write"
        text = f"check positive (amuont > 0) {meant} a condition over the columns of one row, such as amount >= 0"
        case({"checks": [Check("positive", "amuont > 0")]}, text)
        text = f"column twice is generated as amuont * 2, which {meant} an expression over the other columns of the row"
        case({"more": [Column("twice", "int", generated_as="amuont * 2")]}, text)


def test_names_are_compared_without_case():
    for name, names, nearest in [
        ("AMUONT", ["id", "Amount"], "Amount"),
        ("note", ["id", "amount"], None),
        ("id", [], None),
    ]:
        assert nearest_name(name, names) == nearest
        assert proposal(name, iter(names), "declare it") == (f"did you mean {nearest}?" if nearest else "declare it")
