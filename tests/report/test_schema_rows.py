"""Two schemas side by side: what stands in one row, in which order, and what differs."""

from __future__ import annotations

import pytest

from pytest_delta_schema.report.schema_rows import schema_rows


def column(name, data_type="string", **others):
    return {"name": name, "type": data_type, **others}


def struct(*fields):
    return {"type": "struct", "fields": list(fields)}


def table(*columns, **others):
    return {"version": 1, "name": "dev.silver.orders", "columns": list(columns), **others}


def shown(*args):
    return [(row.depth, row.label, row.declared, row.observed, row.differs) for row in schema_rows(*args)]


def labels(*args):
    return [(row.group, row.label, *row.declared) for row in schema_rows(*args)]


def test_columns_are_matched_without_case_and_extra_ones_come_last():
    declared = table(column("id", "bigint", is_nullable=False), column("Note"))
    observed = table(column("old", "int"), column("note"), column("ID", "int"))

    assert shown(declared, observed, ["columns.id", "columns.old"]) == [
        (0, "id", ("bigint not null",), ("int",), True),
        (0, "Note", ("string",), ("string",), False),
        (0, "old", (), ("int",), True),
    ]


def test_names_with_dots_are_matched_with_changes_and_tags():
    declared = table(column("A.b", struct(column("c d"))), tags={"`A.b`.`c d`": {"pii": "yes"}})
    observed = table(column("a.b", struct(column("c d"))))

    assert shown(declared, observed, ["columns.`A.b`.`c d`.tags.pii"]) == [
        (0, "A.b", ("struct",), ("struct",), False),
        (1, "c d", ("string", "tag pii: yes"), ("string",), True),
    ]


def test_fields_stand_below_what_they_are_inside_of_even_if_one_side_lacks_them():
    declared = table(column("a", struct(column("x"))), column("b"))
    observed = table(column("a", struct(column("y"), column("x", "int"))), column("b"))

    assert shown(declared, observed, ["columns.a.x.type", "columns.a.y"]) == [
        (0, "a", ("struct",), ("struct",), False),
        (1, "x", ("string",), ("int",), True),
        (1, "y", (), ("string",), True),
        (0, "b", ("string",), ("string",), False),
    ]


def test_arrays_and_maps_of_structs_have_rows_for_their_parts():
    inner = struct(column("x"))
    items = column("items", {"type": "array", "element": inner, "contains_null": False})
    prices = column("prices", {"type": "map", "key": "string", "value": inner})
    plain = column("plain", {"type": "map", "key": "string", "value": "int", "value_contains_null": False})

    assert [(row.depth, row.label, *row.declared) for row in schema_rows(table(items, prices, plain), None, [])] == [
        (0, "items", "array<...>"),
        (1, "element", "struct not null"),
        (2, "x", "string"),
        (0, "prices", "map<string, ...>"),
        (1, "value", "struct"),
        (2, "x", "string"),
        (0, "plain", "map<string, int not null>"),
    ]


def test_a_column_has_a_line_for_each_of_its_attributes():
    identity = {"start": 1, "step": 2, "always": True}
    declared = table(
        column("a", default="0", comment="The comment"),
        column("b", "date", generated_as="cast(c as date)"),
        column("c", "bigint", identity=identity),
        tags={"c": {"pii": None, "team": "core"}, "": {"team": "shop"}},
        deprecated={
            "A": {"since": "2026-01-31", "use": "b", "sunset": "2026-07-31"},
            "": {"since": "2026-02-01"},
        },
    )

    assert labels(declared, None, []) == [
        ("columns", "a", "string", "default 0", "The comment", "deprecated since 2026-01-31, use b, sunset 2026-07-31"),
        ("columns", "b", "date", "generated always as (cast(c as date))"),
        ("columns", "c", "bigint", "identity (1 by 2)", "tag pii: (absent)", "tag team: core"),
        ("table", "tag team", "shop"),
        ("table", "deprecated", "deprecated since 2026-02-01"),
    ]


def test_constraints_layout_comment_and_properties_have_rows():
    declared = table(
        comment="Orders",
        primary_key={"name": "pk", "columns": ["a", "b"], "rely": True},
        unique=[{"name": "u", "columns": ["a"]}],
        checks=[{"name": "positive", "expression": "a > 0"}],
        foreign_keys=[{"name": "fk", "columns": ["a"], "parent": "dev.silver.a", "parent_columns": ["id"]}],
        clustered_by=["a"],
        properties={"delta.appendOnly": "true"},
    )

    assert labels(declared, None, []) == [
        ("constraints", "primary key", "(a, b) rely"),
        ("constraints", "u", "unique (a)"),
        ("constraints", "positive", "a > 0"),
        ("constraints", "fk", "(a) references dev.silver.a (id)"),
        ("table", "layout", "clustered by (a)"),
        ("table", "comment", "Orders"),
        ("properties", "delta.appendOnly", "true"),
    ]
    assert labels(table(partitioned_by=["a", "b"]), None, []) == [("table", "layout", "partitioned by (a, b)")]


def test_a_property_that_the_model_does_not_name_is_shown_only_if_the_plan_changes_it():
    observed = table(properties={"a": "1", "b": "2"})

    assert shown(table(), observed, ["properties.b"]) == [(0, "b", (), ("2",), True)]


def test_nothing_differs_that_the_plan_does_not_change():
    declared, observed = (
        table(checks=[{"name": "c", "expression": "a>0"}]),
        table(checks=[{"name": "c", "expression": "a > 0"}]),
    )

    assert shown(declared, observed, []) == [(0, "c", ("a>0",), ("a > 0",), False)]


def test_all_of_a_missing_column_differs():
    declared = table(column("a", struct(column("x", struct(column("y"))))))

    assert shown(declared, table(column("b")), ["columns.a"]) == [
        (0, "a", ("struct",), (), True),
        (1, "x", ("struct",), (), True),
        (2, "y", ("string",), (), True),
        (0, "b", (), ("string",), False),
    ]


@pytest.mark.parametrize(("observed", "differs"), [(table(column("a"), exists=False), True), (None, False)])
def test_all_of_a_missing_table_differs_unless_no_catalog_was_read(observed, differs):
    declared = table(column("a"), comment="Orders")

    assert shown(declared, observed, ["table"]) == [
        (0, "a", ("string",), (), differs),
        (0, "comment", ("Orders",), (), differs),
    ]


def test_a_state_without_a_model_is_shown_as_it_is():
    assert shown(None, table(column("a")), []) == [(0, "a", (), ("string",), False)]
