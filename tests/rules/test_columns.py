"""A mistyped column is answered with the nearest one, wherever a declaration names columns."""

from __future__ import annotations

from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Table, Unique
from pytest_delta_schema.delta.names import nearest_name, proposal
from pytest_delta_schema.rules import PlanValidator
from support.case_tables import named_cases

ADDRESS = spark.StructType([spark.StructField("city", spark.StringType())])
COLUMNS = [Column("OrderId", "bigint", is_nullable=False), Column("amount", "int"), Column("address", ADDRESS)]
MEANT = "did you mean {}?"


def unknown_columns(declared):
    model = Table("dev", "silver", "orders", [*COLUMNS, *declared.pop("more", [])], **declared)
    return "\n".join(f"{each.message}; {each.remedy}" for each in PlanValidator().model_violations([model]))


def test_the_nearest_column_is_named():
    with named_cases(unknown_columns) as case:
        case(
            "primary key",
            {"primary_key": ["order_id"]},
            f"primary key column order_id is not a column of the model; {MEANT.format('OrderId')}",
        )
        case(
            "nothing near",
            {"primary_key": ["note"]},
            "primary key column note is not a column of the model; declare it, or fix the key",
        )
        case(
            "foreign key",
            {"foreign_keys": [ForeignKey(["amuont"], "dev.silver.parents", ["id"])]},
            f"foreign key (amuont) names amuont, which is not a column of the model; {MEANT.format('amount')}",
        )
        case(
            "unique",
            {"unique": [Unique(["Amounts"])]},
            f"unique constraint (Amounts) names Amounts, which is not a column of the model; {MEANT.format('amount')}",
        )
        case(
            "partitions",
            {"partitioned_by": ["amont"]},
            f"partitioned_by names amont, which is not a column; {MEANT.format('amount')}",
        )
        case(
            "clusters",
            {"clustered_by": ["address.cty"]},
            f"clustered_by names address.cty, which is not a column or a field of a struct; {MEANT.format('address.city')}",
        )
        case(
            "check",
            {"checks": [Check("positive", "amuont > 0")]},
            "check positive (amuont > 0) names amuont (did you mean amount?), which is not a column of the table; write a"
            " condition over the columns of one row, such as amount >= 0",
        )
        case(
            "generated column",
            {"more": [Column("twice", "int", generated_as="amuont * 2")]},
            "column twice is generated as amuont * 2, which names amuont (did you mean amount?), which is not a column of the"
            " table; write an expression over the other columns of the row",
        )


def test_names_are_compared_without_case():
    for name, names, nearest in [
        ("AMUONT", ["id", "Amount"], "Amount"),
        ("note", ["id", "amount"], None),
        ("id", [], None),
    ]:
        assert nearest_name(name, names) == nearest
        assert proposal(name, iter(names), "declare it") == (f"did you mean {nearest}?" if nearest else "declare it")
