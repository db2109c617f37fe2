"""Columns: added, renamed, NOT NULL, and with names of special characters."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, FloatType, MapType

from pytest_delta_schema import Check, ForeignKey
from pytest_delta_schema.testing.scenario import (
    ADDRESS,
    HOME,
    ID,
    INT,
    ODD_NAMES,
    ODD_TEXT,
    PLACE,
    PLACE_STRICT,
    TEXT,
    Scenario,
    column,
    columns,
    evolving,
    field,
    mapped,
    parent,
    struct,
)

_RENAMED_GEO = field("place", struct(field("north", FloatType(), renamed_from="lat")), renamed_from="geo")
_RENAMED_ADDRESS = struct(field("city", TEXT), _RENAMED_GEO)
_RENAMED_HOME = {"city": "Bonn", "place": {"north": 1.5}}

COLUMNS: tuple[Scenario, ...] = (
    Scenario(
        name="additive/undeclared_column_between_declared_ones",
        description="An undeclared column between declared ones is drift. Dropping it needs consent.",
        before=mapped(ID, "inside", "last"),
        after=columns(ID, "last", evolution="additive"),
        refused_by=("DS206",),
    ),
    Scenario(
        name="additive/undeclared_columns_kept",
        description="Undeclared columns and fields after the declared ones are not drift.",
        before=columns(ID, "s struct<x: bigint, new: bigint>", "extra", column("more", "string", comment="Theirs")),
        after=columns(ID, "s struct<x: bigint>", evolution="additive"),
        rows=({"id": 1, "s": {"x": 1, "new": 2}, "extra": 3, "more": "m"},),
    ),
    Scenario(
        name="additive/new_columns_before_undeclared_ones",
        description="New columns and fields go after the declared ones and before the undeclared ones.",
        before=columns(ID, "s struct<x: bigint, theirs: bigint>", "extra"),
        after=columns(ID, "s struct<x: bigint, y: bigint, z: bigint>", "a", "b", evolution="additive"),
        rows=({"id": 1, "s": {"x": 1, "theirs": 2}, "extra": 3},),
        rows_after=({"id": 1, "s": {"x": 1, "y": None, "z": None, "theirs": 2}, "a": None, "b": None, "extra": 3},),
    ),
    Scenario(
        name="additive/undeclared_not_null_column",
        description="An undeclared NOT NULL column is drift: every other writer would have to provide it.",
        before=mapped(ID, "extra not null"),
        after=columns(ID, evolution="additive"),
        refused_by=("DS206",),
    ),
    Scenario(
        name="additive/no_declared_column_exists",
        description="All stored columns are undeclared. The declared column is added first.",
        before=columns("theirs"),
        after=columns("id", evolution="additive"),
    ),
    Scenario(
        name="additive/renamed_and_commented_beside_an_undeclared_column",
        before=mapped(ID, "old", "extra"),
        after=mapped(ID, column("new", renamed_from="old", comment="New"), evolution="additive"),
        rows=({"id": 1, "old": 2, "extra": 3},),
        rows_after=({"id": 1, "new": 2, "extra": 3},),
    ),
    Scenario(
        name="additive/strict_contract",
        description="Under a strict contract an undeclared column is drift.",
        before=mapped(ID, "extra"),
        after=columns(ID, evolution="strict"),
        refused_by=("DS206",),
    ),
    Scenario(
        name="basics/special_characters_in_comments_and_properties_created",
        before=None,
        after=columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT}),
    ),
    Scenario(
        name="basics/special_characters_in_comments_and_properties_set",
        before=columns(column()),
        after=columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT}),
    ),
    Scenario(
        name="basics/special_characters_in_names_added_commented_set_not_null",
        before=mapped(*[column(name) for name in ODD_NAMES[:3]]),
        after=mapped(
            *[column(name, is_nullable=False, comment="c") for name in ODD_NAMES[:3]],
            *[column(name) for name in ODD_NAMES[3:5]],
        ),
    ),
    Scenario(
        name="basics/special_characters_in_names_created",
        before=None,
        after=mapped(*[column(name) for name in ODD_NAMES]),
    ),
    Scenario(
        name="basics/special_characters_in_a_property_unset",
        before=columns(column(), table_properties={ODD_TEXT: "x", "plain": "y"}),
        after=columns(column(), table_properties={ODD_TEXT: None}),
    ),
    Scenario(
        name="evolution/every_change_at_once",
        before=evolving(ID, "a struct<x: int, old: string, gone: bigint>", "k int", checks=[Check("k", "k > 0")]),
        after=evolving(
            ID,
            column("a", struct(field("x", comment="Wide"), field("new", TEXT, renamed_from="old"), field("more", INT))),
            column("key", is_nullable=False, renamed_from="k"),
            "extra string",
            comment="All",
            checks=[Check("k", "`key` > 0")],
        ),
        rows=({"id": 1, "a": {"x": 1, "old": "o", "gone": 5}, "k": 3},),
        consents=("drop-column dev.silver.orders.a.gone",),
        rows_after=({"id": 1, "a": {"x": 1, "new": "o", "more": None}, "key": 3, "extra": None},),
    ),
    Scenario(
        name="evolution/fields_and_columns_renamed_at_every_depth",
        before=mapped(ID, column("a", ADDRESS), "l array<struct<q: int>>", "m map<string, struct<u: int>>"),
        after=mapped(
            ID,
            column("address", _RENAMED_ADDRESS, renamed_from="a"),
            column("l", ArrayType(struct(field("quantity", INT, renamed_from="q")))),
            column("m", MapType(TEXT, struct(field("unit", INT, renamed_from="u")))),
        ),
        rows=({"id": 1, "a": HOME, "l": [{"q": 1}, {"q": None}], "m": {"q": {"u": 2}}}, {"id": 2}),
        rows_after=(
            {"id": 1, "address": _RENAMED_HOME, "l": [{"quantity": 1}, {"quantity": None}], "m": {"q": {"unit": 2}}},
            {"id": 2, "address": None, "l": None, "m": None},
        ),
    ),
    Scenario(
        name="evolution/renamed_columns_whose_rows_violate_new_constraints",
        before=mapped("old", "s struct<x: bigint>"),
        after=columns(
            column("new", is_nullable=False, renamed_from="old"),
            column("t", struct(field("y", nullable=False, renamed_from="x")), renamed_from="s"),
            checks=[Check("positive", "new > 0 AND t.y > 0")],
        ),
        rows=({"old": None, "s": {"x": 1}}, {"old": 1, "s": {"x": None}}, {"old": 0, "s": {"x": 1}}),
        refused_by=("DS301", "DS301", "DS302"),
    ),
    Scenario(
        name="evolution/renamed_from_a_column_that_no_longer_exists",
        before=columns(ID, "new", "s struct<y: bigint>"),
        after=columns(ID, column("new", renamed_from="old"), column("s", struct(field("y", renamed_from="x")))),
        rows=({"id": 1, "new": 2},),
        rows_after=({"id": 1, "new": 2, "s": None},),
    ),
    Scenario(
        name="evolution/renamed_with_constraints_that_depend_on_it",
        before=mapped(
            "old",
            "p",
            checks=[Check("positive", "old > 0 AND p > 0")],
            foreign_keys=[ForeignKey(["p"], parent(), name="fk")],
        ),
        after=mapped(
            column("new", is_nullable=False, renamed_from="old"),
            column("to", renamed_from="p"),
            primary_key=["new"],
            checks=[Check("positive", "new > 0 AND `to` > 0")],
            foreign_keys=[ForeignKey(["to"], parent(), name="fk")],
        ),
        rows=({"old": 1, "p": 7}, {"old": 2, "p": 7}),
        other_tables=((parent(), ({"id": 7, "region": "a"},)),),
        rows_after=({"new": 1, "to": 7}, {"new": 2, "to": 7}),
    ),
    Scenario(
        name="evolution/renamed_without_column_mapping",
        before=columns(ID, "old"),
        after=columns(ID, column("new", renamed_from="old")),
        rows=({"id": 1, "old": 2},),
        requires_unset=("delta.columnMapping.mode",),
        refused_by=("DS211",),
    ),
    Scenario(
        name="not_null/column_with_a_not_null_field_added",
        before=columns(ID),
        after=columns(ID, column("s", PLACE_STRICT)),
        refused_by=("DS201", "DS201"),
    ),
    Scenario(
        name="not_null/not_null_column_added",
        before=columns(ID),
        after=columns(ID, "b not null"),
        refused_by=("DS201",),
    ),
    Scenario(
        name="not_null/not_null_column_created",
        before=None,
        after=columns(ID, column("s", PLACE_STRICT)),
    ),
    Scenario(
        name="not_null/fields_made_nullable_on_an_empty_table",
        before=columns(ID, column("s", PLACE_STRICT)),
        after=columns(ID, column("s", PLACE)),
    ),
    Scenario(
        name="not_null/fields_made_nullable_and_their_column_not_null_over_rows",
        before=columns(ID, column("s", PLACE_STRICT)),
        after=columns(ID, column("s", PLACE, is_nullable=False)),
        rows=({"id": 1, "s": {"name": "a", "geo": {"lat": 1.0, "lon": 2.0}}},),
    ),
    Scenario(
        name="not_null/fields_set_not_null_on_an_empty_table",
        before=columns(ID, column("s", PLACE)),
        after=columns(ID, column("s", PLACE_STRICT)),
    ),
    Scenario(
        name="not_null/fields_set_not_null_over_valid_rows",
        before=columns(ID, column("s", PLACE)),
        after=columns(ID, column("s", PLACE_STRICT)),
        rows=({"id": 1, "s": {"name": "a", "geo": {"lat": 1.0, "lon": 2.0}}},),
    ),
    Scenario(
        name="not_null/fields_set_not_null_over_nulls_and_null_structs",
        before=columns(ID, column("s", PLACE)),
        after=columns(ID, column("s", PLACE_STRICT), comment="New"),
        rows=(
            {"id": 1, "s": {"name": "a", "geo": {"lat": None, "lon": 2.0}}},
            {"id": 2, "s": {"name": None, "geo": {"lat": 1.0, "lon": None}}},
            {"id": 3, "s": None},
        ),
        refused_by=("DS301", "DS301"),
    ),
    Scenario(
        name="not_null/made_nullable",
        before=columns(ID, "b not null"),
        after=columns(column(), "b"),
        rows=({"id": 1, "b": 1},),
    ),
    Scenario(
        name="not_null/made_nullable_over_rows",
        before=columns(ID, "b not null"),
        after=columns(ID, "b"),
        rows=({"id": 1, "b": 1},),
    ),
    Scenario(
        name="not_null/set_not_null_and_made_nullable_at_once",
        before=columns(column(), "b not null"),
        after=columns(ID, "b"),
        rows=({"id": 1, "b": 1},),
    ),
    Scenario(
        name="not_null/set_not_null_on_an_empty_table",
        before=columns(column(), "b"),
        after=columns(ID, "b not null"),
    ),
    Scenario(
        name="not_null/set_not_null_over_valid_rows",
        before=columns(column(), "b"),
        after=columns(ID, "b"),
        rows=({"id": 1}, {"id": 2, "b": 2}),
    ),
    Scenario(
        name="not_null/set_not_null_over_nulls",
        before=columns(column(), "b"),
        after=columns(ID, "b not null", "new", comment="New"),
        rows=({"id": 1, "b": None}, {"id": None, "b": None}, {"id": 3, "b": 3}),
        refused_by=("DS301", "DS301"),
    ),
)
