"""Tables that are created and aligned, with columns of every type, and changes of several aspects at once."""

from __future__ import annotations

from pyspark.sql.types import ArrayType

from pytest_delta_schema.testing.scenario import (
    DROP,
    EVERY_TYPE,
    ID,
    NESTED,
    VARIANTS,
    Scenario,
    column,
    columns,
    mapped,
    orders,
)

_VARIANTS = tuple(
    Scenario(
        name="basics/variant_added",
        description="Where Spark has the type, from 4.0 on.",
        before=columns(ID, column("first", variant.data_type)),
        after=columns(ID, column("first", variant.data_type), variant, column("list", ArrayType(variant.data_type))),
        rows=({"id": 1},),
    )
    for variant in VARIANTS
)

BASICS: tuple[Scenario, ...] = (
    *_VARIANTS,
    Scenario(
        name="basics/second_column_of_a_type_that_needs_a_feature",
        description="The table feature is enabled already, so only the column is added.",
        before=columns(ID, "first timestamp_ntz"),
        after=columns(ID, "first timestamp_ntz", "next array<timestamp_ntz>"),
    ),
    Scenario(
        name="basics/every_type_added",
        before=columns(ID),
        after=columns(ID, *[column for column in EVERY_TYPE if column.name not in ("c_nested", "c_void")]),
        rows=({"id": 1},),
    ),
    Scenario(
        name="basics/every_type_created",
        before=None,
        after=columns(*EVERY_TYPE),
    ),
    Scenario(
        name="basics/nothing_to_do",
        before=orders(),
        after=orders(),
    ),
    Scenario(
        name="basics/type_changed_from_struct_to_string",
        description="Delta cannot change a struct to a string.",
        before=columns(ID, column("b", NESTED)),
        after=columns(ID, "b string"),
        refused_by=("DS208",),
    ),
    Scenario(
        name="basics/worked_example_aligned",
        before=columns("id", "created_ts timestamp"),
        after=orders(),
        rows=({"id": 1}, {"id": 2}),
    ),
    Scenario(
        name="basics/worked_example_created",
        before=None,
        after=orders(),
    ),
    Scenario(
        name="changes/column_name_in_another_case",
        before=columns("OrderId"),
        after=columns(column("orderid", comment="c")),
    ),
    Scenario(
        name="changes/comments_cleared",
        before=columns(column(comment="c"), comment="t"),
        after=columns(column()),
    ),
    Scenario(
        name="changes/empty_and_missing_comments_are_equal",
        before=columns(column(comment="")),
        after=columns(column(comment=None), comment=None),
    ),
    Scenario(
        name="changes/delta_property_changed_and_another_unset",
        before=columns(
            column(), table_properties={"delta.appendOnly": "true", "delta.logRetentionDuration": "interval 7 days"}
        ),
        after=columns(column(), table_properties={"delta.appendonly": "false", "delta.LOGRETENTIONDURATION": None}),
    ),
    Scenario(
        name="changes/delta_property_in_another_spelling",
        before=columns(column(), table_properties={"delta.appendOnly": "TRUE"}),
        after=columns(column(), table_properties={"DELTA.APPENDONLY": True}),
    ),
    Scenario(
        name="changes/column_dropped_without_consent",
        before=mapped(ID, "legacy"),
        after=columns(ID, comment="New"),
        rows=({"id": 1, "legacy": 5},),
        refused_by=("DS206",),
    ),
    Scenario(
        name="changes/column_dropped_with_consent",
        before=mapped(ID, "legacy"),
        after=mapped(ID),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
    ),
    Scenario(
        name="changes/column_dropped_after_column_mapping_is_enabled",
        description="The plan enables column mapping, which dropping a column needs.",
        before=columns(ID, "legacy"),
        after=mapped(ID),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        requires_unset=("delta.columnMapping.mode",),
    ),
    Scenario(
        name="changes/columns_in_another_order",
        before=columns("a", "b"),
        after=columns("b", "a"),
    ),
    Scenario(
        name="changes/properties_set_changed_and_unset",
        before=columns(column(), table_properties={"a": "1", "b": "1", "Case": "x", "kept": "1"}),
        after=columns(column(), table_properties={"a": "2", "b": None, "case": "y", "c": True}),
    ),
)
