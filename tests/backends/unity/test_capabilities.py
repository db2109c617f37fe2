"""What the unity backend refuses in a plan, and how many calls its work takes."""

from __future__ import annotations

from pyspark.sql.types import LongType, StructField, StructType

from pytest_delta_schema import Check
from pytest_delta_schema.backends.unity.catalog import CAPABILITIES
from pytest_delta_schema.execute.protocols import unsupported_statements
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.state import TableState
from support.models import NAME, TEXT, catalog, column, state, stored, table

MANAGED = {"delta.feature.catalogManaged": "supported"}
LONG = "x" * 300
TEXTS = " OR ".join(f"b = '{'x' * 40}{number}'" for number in range(6))


class Backend:
    name = "unity"
    capabilities = CAPABILITIES


def refused(model, there):
    (action,) = TablePlanner().plan([model], catalog(there)).actions
    return [(item.code, item.message, item.remedy) for item in unsupported_statements(action, Backend())]


WHY = "the server stores keys and values of managed tables up to 255 characters"


def test_long_properties_of_managed_tables_are_refused_in_the_plan():
    """New tables are managed; external ones take everything."""
    external = state(stored("id"), stored("b", "string"))
    managed = state(stored("id"), stored("b", "string"), table_properties=MANAGED)
    for wish, text in (
        ({"table_properties": {"note": LONG}}, "set properties: note (a value of 300 characters)"),
        ({"table_properties": {LONG: "1"}}, f"set properties: {'x' * 60}... (a key of 300 characters)"),
        (
            {"checks": [Check("Known", TEXTS)]},
            f"add check: delta.constraints.known (a value of {len(TEXTS)} characters)",
        ),
        ({"tags": {"note": LONG}}, "set tags: pytest_delta_schema.tag.note (a value of 300 characters)"),
    ):
        model = table(column(), column("b", TEXT), **wish)

        assert refused(model, managed) == [
            ("DS218", f"the unity backend cannot {text}: {WHY}", "shorten what is too long"),
        ]
        assert refused(model, external) == []
        assert [code for code, *_ in refused(model, TableState(name=NAME, exists=False))] == ["DS218"]


def test_long_names_of_columns_of_managed_tables_are_refused_in_the_plan():
    """The server answers the commit with 500, and Delta's client repeats it for minutes (Unity Catalog 0.6.0)."""
    by_name = {"delta.columnMapping.mode": "name"}
    for new, kind in (
        (column("n" * 256), "add columns"),
        (column("\U0001f600" * 128), "add columns"),
        (column("n" * 256, renamed_from="b"), "rename column"),
    ):
        before = [stored("id"), *([stored("b")] if new.renamed_from else [])]
        model = table(column(), new)

        (refusal,) = refused(model, state(*before, table_properties={**MANAGED, **by_name}))

        assert refusal[0] == "DS218"
        assert refusal[1].startswith(f"the unity backend cannot {kind}: {new.name[:50]}")
        assert refusal[1].endswith(": the server stores names of columns of managed tables up to 255 characters")
        assert refused(model, state(*before, table_properties=by_name)) == []
        assert [code for code, *_ in refused(table(column(new.name)), TableState(name=NAME, exists=False))] == ["DS218"]
    fields = table(column(), column("s", StructType([StructField("n" * 256, LongType())])), column("n" * 255))
    assert refused(fields, state(stored("id"), table_properties={**MANAGED, **by_name})) == []


def test_names_that_the_server_does_not_take_are_refused_for_new_tables():
    for name, is_taken in (
        ("my orders", False),
        ("käse", False),
        ("o" * 256, False),
        ("o" * 255, True),
        ("a@b-c_9", True),
    ):
        model = table(column(), name=f"dev.silver.{name}")

        diagnostics = refused(model, TableState(name=model.name, exists=False))

        assert [code for code, *_ in diagnostics] == ["DS218"] * (not is_taken)
        assert is_taken or f"the server takes no name like {name}: " in diagnostics[0][1]
        assert refused(model, state(stored("id"), name=model.name, table_comment="x")) == []
