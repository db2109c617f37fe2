"""The state that a model wants, and the declaration that a state comes from."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from runpy import run_path
from types import MappingProxyType

import pytest
from hypothesis import given
from pyspark.sql import types as spark

from pytest_delta_schema import (
    Check,
    Column,
    ForeignKey,
    Identity,
    MemoryCatalog,
    Orchestrator,
    Parquet,
    PrimaryKey,
    QualifiedName,
    Table,
    Unique,
    UnknownType,
    to_struct_type,
)
from pytest_delta_schema.backends.problems import is_damaged
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import CatalogReadError, Diagnostic
from pytest_delta_schema.models.column import columns_of
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.report import model_source
from pytest_delta_schema.state import ColumnState, ForeignKeyState, RenameState
from pytest_delta_schema.state.delta_log import decode_owned
from pytest_delta_schema.state.desired import declared_table, desired_state, property_text, rename_hints, struct_field
from pytest_delta_schema.state.keys import keys_in_properties
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.states import MalformedPropertyError
from pytest_delta_schema.testing.scenario import EVERY_TYPE, LONG, ODD_TEXT, TEXT, VARIANTS, field, struct
from support.case_tables import cases
from support.models import NAME, catalog, column, orders, state, stored, table
from support.strategies import models


def test_the_consent_to_a_conversion_is_no_part_of_what_is_compared():
    assert replace(state(stored("id")), convert_from=Parquet("/lake/orders")) == state(stored("id"))


def test_later_edits_of_what_a_model_was_given_do_not_reach_it():
    columns, properties, tags = [column()], {"team": "a"}, {"area": "b"}
    model = table(table_properties=properties, tags=tags)
    model = replace(model, columns=columns)
    wanted = desired_state(model)

    columns.clear()
    properties["more"] = tags["more"] = "1"

    assert desired_state(model) == wanted
    for declaration, name in ((model, "comment"), (model.columns[0], "name")):
        with pytest.raises(FrozenInstanceError):
            setattr(declaration, name, "other")
    kinds = [type(value) for value in (model.columns, model.foreign_keys, model.table_properties, model.tags)]
    assert kinds == [tuple, tuple, MappingProxyType, MappingProxyType]


def test_property_values_become_text_in_the_order_of_their_keys():
    texts = {True: "true", False: "false", 7: "7", 0.5: "0.5", "True": "True", None: None}
    model = table(column(), table_properties={"b": 1, "a": None})

    assert {value: property_text(value) for value in texts} == texts
    assert list(desired_state(model).table_properties.items()) == [("a", None), ("b", "1")]


def test_a_catalog_state_explains_every_table_that_it_lacks():
    there = catalog(state())
    problem = Diagnostic(table="dev.silver.view", message="is a view", remedy="drop it")
    there = type(there)(tables=there.tables, problems={NAME._replace(table="view"): problem})

    there.require([NAME])
    with pytest.raises(CatalogReadError) as caught:
        there.require([NAME, NAME._replace(table="view"), NAME._replace(table="gone")])

    assert str(caught.value) == (
        "dev.silver.view: is a view; drop it\n"
        "dev.silver.gone: is not part of the catalog state it is planned against;"
        " take the snapshot with the same models [DS508 TableNotRead]"
    )


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


def test_the_source_of_a_model_is_what_an_author_would_write(reviewed):
    assert model_source(orders()) == reviewed


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


def test_a_primary_key_without_rely_is_a_list_of_columns():
    declared = table(column(), primary_key=PrimaryKey(["id"]))

    assert desired_state(declared) == desired_state(table(column(), primary_key=["id"]))
    assert "PrimaryKey" not in model_source(declared)


def test_long_mappings_take_a_line_an_entry_and_long_texts_are_split_at_their_words(tmp_path):
    properties = {f"team.property.{number}": "a value of some length" for number in range(3)}
    comment = "A comment of many words " * 8
    model = table(Column("id", "bigint", comment=comment), table_properties=properties, convert_from=Parquet())

    source = model_source(model)

    assert source.splitlines()[-7:] == [
        "    table_properties={",
        *(f'        "team.property.{number}": "a value of some length",' for number in range(3)),
        "    },",
        '    convert_from="parquet",',
        ")",
    ]
    assert "            comment=(\n" in source
    assert max(map(len, source.splitlines())) <= 88
    assert run(source, tmp_path).columns[0].comment == comment


def test_an_observed_foreign_key_is_declared_by_its_name_only_if_it_is_another(tmp_path):
    for name in ("fk_dev_silver_orders__id", "fk_chosen"):
        key = ForeignKeyState(name, ("id",), QualifiedName("dev", "silver", "parents"), ("key",))
        source = model_source(state(stored(), foreign_keys=(key,)))

        assert desired_state(run(source, tmp_path)).foreign_keys == (key,)
        assert ("name=" in source) == (name == "fk_chosen")


def test_a_table_is_declared_under_a_name_that_python_takes(tmp_path):
    variables = {"Orders": "orders", "2024": "_2024", "class": "class_", "a-b c": "a_b_c", "type": "type"}
    for name, variable in variables.items():
        model = Table("dev", "silver", name, [Column("id", spark.LongType())])
        assert run(model_source(model), tmp_path, variable).qualified_name == f"dev.silver.{name.lower()}"


def test_the_source_of_an_observed_table_leaves_nothing_to_do(tmp_path):
    catalog = MemoryCatalog()
    model = replace(
        whole(),
        partitioned_by=[],
        clustered_by=["place.lat"],
        foreign_keys=[],
        clients=[],
        table_properties={"team": "data", "delta.minWriterVersion": "7"},
    )
    Orchestrator.over(catalog).sync_tables([model])
    seen = catalog.snapshot([model])

    source = model_source(seen.existing(model.name))

    assert TablePlanner().plan([run(source, tmp_path)], seen).is_empty
    assert "minWriterVersion" not in source


def test_a_path_of_clustering_is_declared_with_back_quotes_where_it_needs_them():
    nested = struct(field("x", spark.LongType()), field("y.z", spark.LongType()))
    columns = [Column("a", spark.LongType()), Column("b.c", spark.LongType()), Column("s", nested)]
    for path, written in {"a": "a", "b.c": "b.c", "s.x": "s.x", "`s`.`y.z`": "s.`y.z`"}.items():
        wanted = desired_state(Table("dev", "silver", "orders", columns, clustered_by=[path]))
        declared = declared_table(wanted)

        assert declared.clustered_by == (written,)
        assert desired_state(declared).clustering == wanted.clustering


def spark_type(data_type):
    return struct_field(ColumnState("c", data_type, True, "")).dataType


def test_a_canonical_type_becomes_the_same_type_of_sparks():
    types = [column.data_type for column in (*EVERY_TYPE, *VARIANTS)]

    assert [spark_type(canonical_type(data_type)) for data_type in types] == types
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
