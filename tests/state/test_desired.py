"""The state that a model wants."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from types import MappingProxyType

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import CatalogReadError, Parquet
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.state import RenameState
from pytest_delta_schema.state.desired import desired_state, property_text, rename_hints
from pytest_delta_schema.testing.scenario import LONG, TEXT, field, struct
from support.tables import KEY, NAME, catalog, column, orders, state, stored, table


def test_the_worked_example():
    wanted = desired_state(orders())

    assert wanted == state(
        stored("id", is_nullable=False, comment="Order ID"),
        stored("created_ts", "timestamp", comment="Creation time"),
        stored("amount", "decimal(18,2)", comment="Order total"),
        table_comment="Orders table",
        table_properties={"delta.autoOptimize.optimizeWrite": "true"},
        primary_key=KEY,
    )


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


def test_missing_comments_are_empty():
    model = table(column(comment=None), comment=None)

    wanted = desired_state(model)

    assert (wanted.columns[0].comment, wanted.table_comment) == ("", "")


def test_properties_are_sorted():
    model = table(column(), table_properties={"b": 1, "a": None})

    assert list(desired_state(model).table_properties.items()) == [("a", None), ("b", "1")]


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (False, "false"), (7, "7"), (0.5, "0.5"), ("True", "True"), (None, None)]
)
def test_property_values_become_text(value, text):
    assert property_text(value) == text


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


@pytest.mark.parametrize(
    ("data_type", "path"),
    [
        (INNER, ColumnPath("s", "b")),
        (struct(field("t", INNER)), ColumnPath("s", "t", "b")),
        (struct(field("x", LONG), field("t", spark.ArrayType(INNER))), ColumnPath("s", "t", "element", "b")),
        (spark.MapType(INNER, spark.ArrayType(LONG)), ColumnPath("s", "key", "b")),
        (spark.MapType(TEXT, spark.ArrayType(INNER)), ColumnPath("s", "value", "element", "b")),
    ],
)
def test_former_names_are_found_at_every_depth(data_type, path):
    assert rename_hints([column("id"), column("s", data_type)]) == (RenameState(path, "a"),)
