"""The state that a model wants, and the declaration that a state comes from."""

from __future__ import annotations

from dataclasses import replace
from runpy import run_path

import pytest
from hypothesis import given
from pyspark.sql import types as spark

from pytest_delta_schema import (
    Check,
    Column,
    ForeignKey,
    Identity,
    Parquet,
    PrimaryKey,
    Table,
    Unique,
    UnknownType,
    to_struct_type,
)
from pytest_delta_schema.backends.problems import is_damaged
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.models.column import columns_of
from pytest_delta_schema.report import model_source
from pytest_delta_schema.state import ColumnState, RenameState
from pytest_delta_schema.state.delta_log import decode_owned
from pytest_delta_schema.state.desired import declared_table, desired_state, property_text, rename_hints, struct_field
from pytest_delta_schema.state.keys import keys_in_properties
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.states import MalformedPropertyError
from pytest_delta_schema.testing.scenario import EVERY_TYPE, LONG, ODD_TEXT, TEXT, VARIANTS, field, struct
from support.case_tables import cases
from support.models import NAME, column, orders, table
from support.strategies import models


def test_property_values_become_text_in_the_order_of_their_keys():
    texts = {True: "true", False: "false", 7: "7", 0.5: "0.5", "True": "True", None: None}
    model = table(column(), table_properties={"b": 1, "a": None})

    assert {value: property_text(value) for value in texts} == texts
    assert list(desired_state(model).table_properties.items()) == [("a", None), ("b", "1")]


INNER = struct(spark.StructField("b", spark.LongType(), metadata={"renamed_from": "a"}))


def test_former_names_are_found_at_every_depth():
    with cases(lambda data_type: rename_hints([column("id"), column("s", data_type)])) as case:
        case(INNER, (RenameState(ColumnPath("s", "b"), "a"),))
        case(struct(field("t", INNER)), (RenameState(ColumnPath("s", "t", "b"), "a"),))
        listed = struct(field("x", LONG), field("t", spark.ArrayType(INNER)))
        case(listed, (RenameState(ColumnPath("s", "t", "element", "b"), "a"),))
        case(spark.MapType(INNER, spark.ArrayType(LONG)), (RenameState(ColumnPath("s", "key", "b"), "a"),))
        values = spark.MapType(TEXT, spark.ArrayType(INNER))
        case(values, (RenameState(ColumnPath("s", "value", "element", "b"), "a"),))


def whole():
    return table(
        Column("id", spark.LongType(), is_nullable=False, comment="Key", identity=Identity(start=5)),
        Column("day", spark.DateType(), generated_as="CAST(ts AS DATE)", tags={"level": "1", "pii": None}),
        Column("ts", spark.TimestampType(), renamed_from="created"),
        Column("open", spark.BooleanType(), default=True),
        Column("amount", spark.DecimalType(18, 2), default=0),
        Column("place", struct(field("lat", spark.DoubleType(), nullable=False, comment="Degrees"))),
        comment=ODD_TEXT,
        table_properties={"team": "data", "delta.appendOnly": True, "old": None},
        primary_key=["id"],
        checks=[Check("positive", "amount >= 0")],
        foreign_keys=[
            ForeignKey(["id"], "dev.silver.parents", ["id"], name="fk_parents", rely=True),
            ForeignKey(["id"], table(Column("id", spark.LongType()), name="dev.silver.others")),
        ],
        partitioned_by=["day"],
        column_order="manage",
        unique=[Unique(["ts", "day"], name="chosen"), Unique(["ts"])],
        clients=["trino>=470 (read)", "athena"],
        tags={"team": "it's ours", "gold": ""},
        owns={"comments": "report"},
        convert_from=Parquet("/lake/orders", statistics=False),
    )


def run(source, tmp_path, name="orders"):
    path = tmp_path / "models.py"
    path.write_text(source, encoding="utf-8")
    return run_path(str(path))[name]


def test_the_source_of_a_model_declares_it_again(tmp_path):
    odd = [spark.DayTimeIntervalType(0, 3), spark.DayTimeIntervalType(1, 1), spark.YearMonthIntervalType(0, 1)]
    unstorable = [Column(f"c{at}", kind) for at, kind in enumerate([*odd, spark.StringType("UTF8_LCASE")])]
    every = table(*EVERY_TYPE, *VARIANTS, *unstorable)
    relied = table(column(), primary_key=PrimaryKey(["id"], rely=True))
    for model in (orders(), whole(), relied, every, replace(every, owns=[])):
        again = run(model_source(model), tmp_path)

        assert desired_state(again) == desired_state(model)
        assert desired_state(again).renames == desired_state(model).renames
        assert [column.data_type for column in again.columns] == [column.data_type for column in model.columns]
        assert (again.column_order, again.ownership, again.clients) == (
            model.column_order,
            model.ownership,
            model.clients,
        )
        assert desired_state(again).convert_from == desired_state(model).convert_from
        adopted = desired_state(declared_table(desired_state(model)))
        keys = ("primary_key", "unique", "foreign_keys")
        assert [getattr(adopted, key) for key in keys] == [getattr(desired_state(model), key) for key in keys]


def spark_type(data_type):
    return struct_field(ColumnState("c", data_type, True, "")).dataType


def test_a_canonical_type_becomes_the_same_type_of_sparks():
    types = [column.data_type for column in (*EVERY_TYPE, *VARIANTS)]

    assert [spark_type(canonical_type(data_type)) for data_type in types] == types
    for kind in (spark.StringType("UTF8_LCASE"), spark.DayTimeIntervalType(1, 3), spark.DayTimeIntervalType(1, 1)):
        assert spark_type(canonical_type(kind)) == kind
    for name in ("geometry(4326)", "interval week to day"):
        assert spark_type(name) == UnknownType(name)


def test_a_model_as_a_struct():
    shown = "__CHAR_VARCHAR_TYPE_STRING"
    model = table(
        Column("id", "bigint", is_nullable=False, comment="Key"),
        Column("code", "char(3)"),
        Column("tags", "array<varchar(9)>"),
    )

    assert to_struct_type(model) == spark.StructType(
        [
            spark.StructField("id", spark.LongType(), nullable=False, metadata={"comment": "Key"}),
            spark.StructField("code", spark.StringType(), metadata={shown: "char(3)"}),
            spark.StructField("tags", spark.ArrayType(spark.StringType()), metadata={shown: "array<varchar(9)>"}),
        ]
    )


@given(model=models())
def test_a_model_is_restored_from_its_struct(model):
    again = Table.from_struct_type("dev", "silver", "orders", to_struct_type(model))

    assert desired_state(again).columns == desired_state(model).columns


def test_values_are_taken_from_the_metadata_of_fields():
    counted = {"delta.identity.start": 3, "delta.identity.step": 2, "delta.identity.allowExplicitInsert": True}
    metadata = {
        "a": {"CURRENT_DEFAULT": "1"},
        "b": {"delta.generationExpression": "a + 1"},
        "c": counted,
        "d": {"__CHAR_VARCHAR_TYPE_STRING": "no type at all"},
    }
    fields = [spark.StructField(name, spark.LongType(), metadata=values) for name, values in metadata.items()]

    assert columns_of(spark.StructType(fields)) == [
        Column("a", "bigint", default="1"),
        Column("b", "bigint", generated_as="a + 1"),
        Column("c", "bigint", identity=Identity(start=3, step=2, always=False)),
        Column("d", "bigint"),
    ]


def test_a_malformed_key_is_named():
    own = "pytest_delta_schema."
    malformed = [(f"{own}primaryKey", "id"), (f"{own}primaryKey", '{"name": "pk"}'), (f"{own}unique.u", "[]")]
    malformed += [(f"{own}foreignKey.f", '{"name": "f", "columns": ["id"], "parent": "p"}')]
    for key, value in (*malformed, (f"{own}foreignKey.f", "[" * 100_000)):
        with pytest.raises(MalformedPropertyError) as caught:
            keys_in_properties({key: value})
        assert caught.value.key == key


def test_a_malformed_record_of_owned_properties_is_named_with_the_statement_that_removes_it():
    with pytest.raises(MalformedPropertyError) as caught:
        decode_owned("7")

    assert str(is_damaged(NAME, caught.value)) == (
        "dev.silver.orders: the property pytest_delta_schema.ownedProperties is malformed; remove it (ALTER TABLE"
        " `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('pytest_delta_schema.ownedProperties')), and apply the"
        " model again [DS503 DamagedTable]"
    )
