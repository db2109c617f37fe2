"""A mistyped column is answered with the nearest one, wherever a declaration names columns."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Table, Unique
from pytest_delta_schema.delta.names import nearest_name, proposal
from pytest_delta_schema.rules import PlanValidator

ADDRESS = spark.StructType([spark.StructField("city", spark.StringType())])
COLUMNS = [Column("OrderId", "bigint", is_nullable=False), Column("amount", "int"), Column("address", ADDRESS)]
MEANT = "did you mean {}?"


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (
            {"primary_key": ["order_id"]},
            f"primary key column order_id is not a column of the model; {MEANT.format('OrderId')}",
        ),
        (
            {"primary_key": ["note"]},
            "primary key column note is not a column of the model; declare it, or fix the key",
        ),
        (
            {"foreign_keys": [ForeignKey(["amuont"], "dev.silver.parents", ["id"])]},
            f"foreign key (amuont) names amuont, which is not a column of the model; {MEANT.format('amount')}",
        ),
        (
            {"unique": [Unique(["Amounts"])]},
            f"unique constraint (Amounts) names Amounts, which is not a column of the model; {MEANT.format('amount')}",
        ),
        (
            {"partitioned_by": ["amont"]},
            f"partitioned_by names amont, which is not a column; {MEANT.format('amount')}",
        ),
        (
            {"clustered_by": ["address.cty"]},
            f"clustered_by names address.cty, which is not a column or a field of a struct; {MEANT.format('address.city')}",
        ),
        (
            {"checks": [Check("positive", "amuont > 0")]},
            (
                "check positive (amuont > 0) names amuont (did you mean amount?), which is not a column of the table; write a"
                " condition over the columns of one row, such as amount >= 0"
            ),
        ),
    ],
    ids=["primary key", "nothing near", "foreign key", "unique", "partitions", "clusters", "check"],
)
def test_the_nearest_column_is_named(declared, message):
    violations = PlanValidator().model_violations([Table("dev", "silver", "orders", COLUMNS, **declared)])

    assert [f"{violation.message}; {violation.remedy}" for violation in violations] == [message]


def test_a_generated_column_names_the_nearest_column():
    table = Table("dev", "silver", "orders", [*COLUMNS, Column("twice", "int", generated_as="amuont * 2")])

    (violation,) = PlanValidator().model_violations([table])

    assert violation.message == (
        "column twice is generated as amuont * 2, which names amuont (did you mean amount?), which is not a column of the"
        " table"
    )


@pytest.mark.parametrize(
    ("name", "names", "nearest"),
    [
        ("AMUONT", ["id", "Amount"], "Amount"),
        ("note", ["id", "amount"], None),
        ("id", [], None),
    ],
)
def test_names_are_compared_without_case(name, names, nearest):
    assert nearest_name(name, names) == nearest
    assert proposal(name, iter(names), "declare it") == (
        "declare it" if nearest is None else f"did you mean {nearest}?"
    )
