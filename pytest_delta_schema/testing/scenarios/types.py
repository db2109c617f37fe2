"""Types that widen, defaults, generated columns and identities."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql.types import ArrayType

from pytest_delta_schema import Check, Column, Identity
from pytest_delta_schema.testing.scenario import (
    ADDRESS,
    DROP,
    HOME,
    ID,
    INT,
    LONG,
    TEXT,
    Scenario,
    column,
    columns,
    evolving,
    field,
    mapped,
    struct,
    widening,
)


def _generated(**expressions: str) -> list[Column]:
    """Declare ``int`` columns that are generated."""
    return [column(name, "int", generated_as=expression) for name, expression in expressions.items()]


_FROM_X = column("h", "int", generated_as="s.x")
_HOME_NOW = {"city": "Bonn", "geo": {"lat": 1.5, "lon": None}}

TYPES: tuple[Scenario, ...] = (
    Scenario(
        name="evolution/comments_of_fields",
        before=columns(ID, column("a", struct(field("x", comment="Old"), field("y"))), "l array<struct<z: bigint>>"),
        after=columns(
            ID,
            column("a", struct(field("x"), field("y", comment="New"))),
            column("l", ArrayType(struct(field("z", comment="it's"))), comment="List"),
        ),
        rows=({"id": 1, "a": {"x": 1, "y": 2}},),
        rows_after=({"id": 1, "a": {"x": 1, "y": 2}, "l": None},),
    ),
    Scenario(
        name="evolution/every_type_widened",
        before=widening(
            ID, "i int", column("a", ADDRESS), "l array<struct<p: decimal(5,2)>>", "m map<int, int>", "v varchar(3)"
        ),
        after=widening(
            ID,
            "i decimal(12,2)",
            "a struct<city: string, geo: struct<lat: double>>",
            "l array<struct<p: decimal(8,3)>>",
            "m map<bigint, bigint>",
            "v varchar(5)",
        ),
        rows=({"id": 1, "i": 7, "a": HOME, "l": [{"p": Decimal(1)}], "m": {1: 2}, "v": "abc"},),
        rows_after=({"id": 1, "i": 7, "a": HOME, "l": [{"p": 1}], "m": {1: 2}, "v": "abc"},),
    ),
    Scenario(
        name="evolution/field_dropped_without_consent",
        before=mapped(ID, "s struct<x: bigint, legacy: bigint>"),
        after=mapped(ID, "s struct<x: bigint>"),
        rows=({"id": 1, "s": {"x": 1, "legacy": 2}},),
        refused_by=("DS206",),
    ),
    Scenario(
        name="evolution/fields_added_at_every_depth",
        before=columns(ID, column("a", ADDRESS), "l array<struct<p: int>>", "m map<string, struct<u: int>>"),
        after=columns(
            ID,
            "a struct<city: string, geo: struct<lat: float, lon: bigint>>",
            column("l", ArrayType(struct(field("p", INT), field("q", TEXT, comment="New")))),
            "m map<string, struct<u: int, v: struct<x: bigint>>>",
        ),
        rows=({"id": 1, "a": HOME, "l": [{"p": 1}, None], "m": {"k": {"u": 2}}}, {"id": 2, "a": None}),
        rows_after=(
            {"id": 1, "a": _HOME_NOW, "l": [{"p": 1, "q": None}, None], "m": {"k": {"u": 2, "v": None}}},
            {"id": 2, "a": None, "l": None, "m": None},
        ),
    ),
    Scenario(
        name="evolution/fields_dropped_after_column_mapping_is_enabled",
        before=columns(ID, "l array<struct<p: bigint, legacy: bigint>>"),
        after=mapped(ID, "l array<struct<p: bigint>>"),
        rows=({"id": 1, "l": [{"p": 1, "legacy": 2}]},),
        consents=("drop-column dev.silver.orders.l.element.legacy",),
        requires_unset=("delta.columnMapping.mode",),
        rows_after=({"id": 1, "l": [{"p": 1}]},),
    ),
    Scenario(
        name="evolution/small_integers_widened",
        description="All that Delta 3.3 widens.",
        before=widening(ID, "a tinyint", "b smallint"),
        after=widening(ID, "a smallint", "b int"),
        rows=({"id": 1, "a": 2, "b": 3},),
        rows_after=({"id": 1, "a": 2, "b": 3},),
    ),
    Scenario(
        name="evolution/type_narrowed",
        before=widening(ID, "s struct<x: bigint>"),
        after=columns(ID, "s struct<x: int>", comment="New"),
        rows=({"id": 1, "s": {"x": 2}},),
        refused_by=("DS208",),
    ),
    Scenario(
        name="evolution/void_gets_its_type",
        description="No data file holds a void column, so any type but a collection needs no type widening.",
        before=columns(ID, "d void", "n void", "s struct<x: void, y: bigint>", "v void"),
        after=columns(ID, "d decimal(10,2)", "n timestamp_ntz", "s struct<x: string, y: bigint>", "v varchar(5)"),
        rows=({"id": 1, "s": {"y": 2}},),
        rows_after=({"id": 1, "d": None, "n": None, "s": {"x": None, "y": 2}, "v": None},),
    ),
    Scenario(
        name="evolution/type_widened_after_the_feature_is_enabled",
        before=columns(ID, "d date"),
        after=widening(ID, "d timestamp_ntz"),
    ),
    Scenario(
        name="evolution/type_widened_under_checks",
        before=columns(ID, "b int", "s struct<x: int>", checks=[Check("b", "b > s.x")]),
        after=widening(ID, "b", "s struct<x: bigint>", checks=[Check("b", "b > s.x")]),
        rows=({"id": 1, "b": 3, "s": {"x": 2}},),
        rows_after=({"id": 1, "b": 3, "s": {"x": 2}},),
    ),
    Scenario(
        name="evolution/type_widened_without_the_feature",
        before=columns(ID, "b int"),
        after=columns(ID, "b"),
        rows=({"id": 1, "b": 2},),
        refused_by=("DS208",),
    ),
    Scenario(
        name="defaults/changes_beside_a_generated_column",
        description="Columns that no generation expression uses may change, and the generated column may be dropped.",
        before=evolving(ID, "a int", "s struct<x: int, y: int>", *_generated(g="s.x + a", legacy="a")),
        after=evolving(
            ID,
            column("a", "int", comment="Kept"),
            column("s", struct(field("x", INT), field("y", LONG, comment="Wide"), field("z"))),
            column("g2", "int", generated_as="s.x + a", renamed_from="g"),
        ),
        rows=({"id": 1, "a": 2, "s": {"x": 4, "y": 5}},),
        consents=(DROP,),
        rows_after=({"id": 1, "a": 2, "s": {"x": 4, "y": 5, "z": None}, "g2": 6},),
    ),
    Scenario(
        name="defaults/created_with_generated_and_identity_columns",
        before=None,
        after=columns(
            column(identity=Identity(start=10, step=5)),
            column("seq", comment="Counted", identity=Identity(always=False)),
            "ts timestamp",
            column("day", "date", generated_as="CAST(ts AS DATE)"),
            "s struct<a: int>",
            column("twice", "int", comment="Of a", generated_as="s.a * 2 -- doubled"),
        ),
    ),
    Scenario(
        name="defaults/generated_column_added",
        description="Delta creates generated columns only together with the table.",
        before=columns(ID, "ts timestamp"),
        after=columns(
            ID, "ts timestamp", column("day", "date", generated_as="CAST(ts AS DATE)"), column("seq", identity=True)
        ),
        rows=({"id": 1},),
        refused_by=("DS214", "DS214"),
    ),
    Scenario(
        name="defaults/sources_of_generated_columns_changed",
        description="Delta refuses to rename, retype or drop a column that a generation expression uses.",
        before=evolving(ID, "a int", "legacy int", "s struct<x: int, y: int>", *_generated(g="a + legacy"), _FROM_X),
        after=evolving(ID, "a", column("s", struct(field("z", INT, renamed_from="x"), field("y"))), _FROM_X),
        rows=({"id": 1, "a": 2, "legacy": 3, "s": {"x": 4, "y": 5}},),
        consents=(DROP, "drop-column dev.silver.orders.g"),
        refused_by=("DS215", "DS215", "DS215"),
    ),
    Scenario(
        name="defaults/generation_expression_changed",
        description="Delta cannot add, change or drop a generation expression. Another spelling is equal.",
        before=columns(column(identity=True), "a int", *_generated(b="a + 1", c="a + 2", d="a + 3"), "e int"),
        after=columns(
            column(identity=Identity(step=2)), "a int", *_generated(b="A+1", c="a + 20"), "d int", *_generated(e="a")
        ),
        rows=({"a": 1, "e": 1},),
        refused_by=("DS214", "DS214", "DS214", "DS214"),
    ),
    Scenario(
        name="defaults/identity_column_changed",
        description="A comment, a rename and NOT NULL keep the numbers of the rows.",
        before=mapped(column(identity=True), "a string"),
        after=mapped(
            column("number", is_nullable=False, comment="Counted", identity=True, renamed_from="id"), "a string"
        ),
        rows=({"a": "x"}, {"a": "y"}),
        rows_after=({"number": 1, "a": "x"}, {"number": 2, "a": "y"}),
    ),
    Scenario(
        name="defaults/identity_column_made_nullable",
        description="Delta refuses to make an identity column nullable.",
        before=columns(column(is_nullable=False, identity=True), "a"),
        after=columns(column(identity=True), "a"),
        rows=({"a": 1},),
        refused_by=("DS215",),
    ),
    Scenario(
        name="defaults/created_with_defaults",
        description="Defaults of every kind, and their table feature, are part of the commit that creates the table.",
        before=None,
        after=columns(
            ID,
            column("n", "int", default=3),
            column("d", "decimal(9,2)", default=Decimal("1.50")),
            column("b", "boolean", default=True),
            column("t", "string", is_nullable=False, comment="State", default="'it\\'s ${x}'"),
            column("l", "array<int>", default="array(1, 2)"),
        ),
    ),
    Scenario(
        name="defaults/default_added_to_an_existing_column",
        description="Rows keep their values.",
        before=columns(ID, "n"),
        after=columns(ID, column("n", default=3)),
        rows=({"id": 1, "n": None}, {"id": 2, "n": 7}),
        rows_after=({"id": 1, "n": None}, {"id": 2, "n": 7}),
    ),
    Scenario(
        name="defaults/default_of_a_renamed_and_of_a_dropped_column",
        description="A renamed column keeps its default.",
        before=mapped(ID, column("a", default=1), column("legacy", default=2)),
        after=mapped(ID, column("b", renamed_from="a", default=1)),
        rows=({"id": 1},),
        consents=(DROP,),
        rows_after=({"id": 1, "b": 1},),
    ),
    Scenario(
        name="defaults/default_that_needs_the_widened_type",
        before=widening(ID, column("n", "int", default=1)),
        after=widening(ID, column("n", default=3000000000)),
        rows=({"id": 1},),
        rows_after=({"id": 1, "n": 1},),
    ),
    Scenario(
        name="defaults/equivalent_defaults_are_equal",
        before=columns(ID, column("a", "string", default="UPPER( 'x' )"), column("b", default="(1)")),
        after=columns(ID, column("a", "string", default="upper('x') -- loud"), column("b", default=1)),
        rows=({"id": 1},),
        rows_after=({"id": 1, "a": "X", "b": 1},),
    ),
    Scenario(
        name="defaults/default_and_check_on_it_added",
        before=columns(ID, "n", table_properties={"delta.feature.allowColumnDefaults": "supported"}),
        after=columns(ID, column("n", default=1), checks=[Check("positive", "n IS NULL OR n > 0")]),
        rows=({"id": 1, "n": None}, {"id": 2, "n": 7}),
        rows_after=({"id": 1, "n": None}, {"id": 2, "n": 7}),
    ),
    Scenario(
        name="defaults/defaults_changed_and_dropped",
        description="Both are one statement.",
        before=columns(ID, column("a", default=1), column("b", "string", default="'x'"), column("c", default=5)),
        after=columns(ID, column("a", default=2), "b string", column("c", default=5)),
        rows=({"id": 1}, {"id": 2, "a": 9, "b": None}),
        rows_after=({"id": 1, "a": 1, "b": "x", "c": 5}, {"id": 2, "a": 9, "b": None, "c": 5}),
    ),
    Scenario(
        name="defaults/column_with_a_default_added",
        description="Delta adds a column without its default, so the default is set after it.",
        before=columns(ID),
        after=columns(ID, column("n", comment="Number", default="1 + 1")),
        rows=({"id": 1},),
        rows_after=({"id": 1, "n": None},),
    ),
)
