"""What the unity backend refuses in a plan, because the server could not store it."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Check, Column
from pytest_delta_schema.backends.unity.catalog import CAPABILITIES
from pytest_delta_schema.execute.protocols import unsupported_statements
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.state import TableState
from support.tables import NAME, TEXT, catalog, column, state, stored, table

MANAGED = {"delta.feature.catalogManaged": "supported"}
LONG = "x" * 300
TEXTS = " OR ".join(f"b = '{'x' * 40}{number}'" for number in range(6))


class Backend:
    name = "unity"
    capabilities = CAPABILITIES


def refused(model, there):
    (action,) = TablePlanner().plan([model], catalog(there)).actions
    return [(item.code, item.message, item.remedy) for item in unsupported_statements(action, Backend())]


WISHES = {
    "a property": (
        {"table_properties": {"note": LONG}},
        "set properties: note (a value of 300 characters)",
    ),
    "the key of a property": (
        {"table_properties": {LONG: "1"}},
        f"set properties: {'x' * 60}... (a key of 300 characters)",
    ),
    "a check": (
        {"checks": [Check("Known", TEXTS)]},
        f"add check: delta.constraints.known (a value of {len(TEXTS)} characters)",
    ),
    "a tag": (
        {"tags": {"note": LONG}},
        "set tags: pytest_delta_schema.tag.note (a value of 300 characters)",
    ),
}
WHY = "the server stores keys and values of managed tables up to 255 characters"


@pytest.mark.parametrize(("wish", "text"), WISHES.values(), ids=WISHES)
def test_long_properties_of_managed_tables_are_refused_in_the_plan(wish, text):
    there = state(stored("id"), stored("b", "string"), table_properties=MANAGED)

    assert refused(table(column(), column("b", TEXT), **wish), there) == [
        ("DS218", f"the unity backend cannot {text}: {WHY}", "shorten what is too long")
    ]


@pytest.mark.parametrize("wish", [wish for wish, _ in WISHES.values()], ids=WISHES)
def test_external_tables_take_them(wish):
    assert refused(table(column(), column("b", TEXT), **wish), state(stored("id"), stored("b", "string"))) == []


@pytest.mark.parametrize("wish", [WISHES["a property"][0], WISHES["a check"][0]])
def test_new_tables_are_managed(wish):
    model = table(column(), Column("b", TEXT), **wish)

    assert [code for code, *_ in refused(model, TableState(name=NAME, exists=False))] == ["DS218"]


def test_short_ones_are_fine():
    model = table(column(), table_properties={"note": "x" * 255})

    assert refused(model, state(stored("id"), table_properties={**MANAGED})) == []
    assert (
        refused(model, state(stored("id"), table_properties={"delta.feature.catalogOwned-preview": "supported"})) == []
    )


@pytest.mark.parametrize(
    ("name", "odd"),
    [
        ("dev.silver.my orders", "my orders"),
        ("dev.silver.käse", "käse"),
        (f"dev.silver.{'o' * 256}", "o" * 256),
        (f"dev.silver.{'o' * 255}", None),
        ("dev.silver.a@b-c_9", None),
    ],
)
def test_names_that_the_server_does_not_take_are_refused_for_new_tables(name, odd):
    model = table(column(), name=name)

    diagnostics = refused(model, TableState(name=model.name, exists=False))

    assert [code for code, *_ in diagnostics] == ["DS218"] * (odd is not None)
    assert odd is None or f"the server takes no name like {odd}: " in diagnostics[0][1]
    assert refused(model, state(stored("id"), name=model.name, table_comment="x")) == []
