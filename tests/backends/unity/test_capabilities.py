"""What the unity backend refuses in a plan, and how many calls its work takes."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from pyspark.sql.types import LongType, StructField, StructType

from pytest_delta_schema import Check, Column, Table
from pytest_delta_schema.backends.logs.files import LocalFiles
from pytest_delta_schema.backends.unity import decoding
from pytest_delta_schema.backends.unity.catalog import CAPABILITIES
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.checks import check_entry
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.execute.protocols import unsupported_statements
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.state import TableState, delta_log
from support.logs import commit, field, metadata, protocol
from support.models import NAME, TEXT, catalog, column, state, stored, table
from support.unity import lake

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
        ("DS218", f"the unity backend cannot {text}: {WHY}", "shorten what is too long"),
    ]


MAPPED = {**MANAGED, "delta.columnMapping.mode": "name"}
NAMES = {
    "a new column": (column("n" * 256), "add columns"),
    "a name of emoji": (column("\U0001f600" * 128), "add columns"),
    "a renamed column": (column("n" * 256, renamed_from="b"), "rename column"),
}


@pytest.mark.parametrize(("new", "kind"), NAMES.values(), ids=NAMES)
def test_long_names_of_columns_of_managed_tables_are_refused_in_the_plan(new, kind):
    """The server answers the commit with 500, and Delta's client repeats it for minutes (Unity Catalog 0.6.0)."""
    before = [stored("id"), *([stored("b")] if new.renamed_from else [])]
    model = table(column(), new)

    (refusal,) = refused(model, state(*before, table_properties=MAPPED))

    assert refusal[0] == "DS218"
    assert refusal[1].startswith(f"the unity backend cannot {kind}: {new.name[:50]}")
    assert refusal[1].endswith(": the server stores names of columns of managed tables up to 255 characters")
    assert refused(model, state(*before, table_properties={"delta.columnMapping.mode": "name"})) == []
    assert [code for code, *_ in refused(table(column(new.name)), TableState(name=NAME, exists=False))] == ["DS218"]


def test_long_names_of_fields_are_stored_in_the_type():
    model = table(column(), column("s", StructType([StructField("n" * 256, LongType())])), column("n" * 255))

    assert refused(model, state(stored("id"), table_properties=MAPPED)) == []


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


TABLES = 5
FIELDS = (field("id"), field("other", comment="Other ID"), field("code", "string"))
MODELS = [
    Table(
        "dev",
        "silver",
        f"table_{number}",
        [Column("id", "bigint"), Column("other", "bigint", comment="Other ID"), Column("code", "string")],
    )
    for number in range(TABLES)
]


@pytest.fixture
def unity(tmp_path):
    """Five tables in sync: one has a commit, four have three commits and the checksum of the newest one."""
    with lake(tmp_path) as made:
        for number in range(TABLES):
            folder = made.table(f"dev.silver.table_{number}", *FIELDS)
            if number:
                commit(folder, 1, {"add": {"path": "a.parquet"}})
                commit(folder, 2, {"add": {"path": "b.parquet"}})
                checksum = {"metadata": metadata(*FIELDS)["metaData"], "protocol": protocol()["protocol"]}
                (folder / "_delta_log" / f"{2:020d}.crc").write_text(json.dumps(checksum))
        made.catalog.sync_entries(MODELS)
        made.server.calls.clear()
        yield made


@pytest.fixture
def work(monkeypatch):
    """Counts the listings of logs, the files read, and the schemas and types that are read."""
    counts: Counter[str] = Counter()

    def counted(owner, name):
        inner = getattr(owner, name)

        def count(*args):
            counts[name] += 1
            return inner(*args)

        monkeypatch.setattr(owner, name, count)

    for name in ("names", "open"):
        counted(LocalFiles, name)
    counted(delta_log, "columns_of_schema")
    counted(decoding, "field_of")
    decoding._known_type.cache_clear()
    return counts


def test_a_gate_reads_each_file_once_and_each_schema_once(unity, work):
    gate = Gate(unity.catalog, MODELS)

    outcomes = [outcome for model in MODELS for outcome in (gate.drift(model), check_entry(model, gate))]

    assert {outcome.status for outcome in outcomes} == {Status.IN_SYNC}
    # One page of entries; a listing for each log; one commit, and then four times three commits and a checksum.
    assert unity.server.calls == [("GET", "/tables")]
    # The fifteen columns of the entries have two types.
    assert work == {"names": TABLES, "open": 1 + 4 * 4, "columns_of_schema": TABLES, "field_of": 2}


def test_a_few_tables_take_a_request_each_and_a_listing(unity, work):
    Gate(unity.catalog, MODELS[:2]).state()

    assert sorted(unity.server.calls) == [
        ("GET", "/tables"),
        ("GET", "/tables/dev.silver.table_0"),
        ("GET", "/tables/dev.silver.table_1"),
    ]
    assert work == {"names": 2, "open": 1 + 4, "columns_of_schema": 2, "field_of": 2}


def test_a_version_takes_a_request_and_a_read_of_the_log(unity, work):
    unity.catalog.snapshot(MODELS)
    unity.server.metastore.tables["dev.silver.table_1"]["comment"] = "Somebody's"
    unity.server.calls.clear()
    work.clear()

    assert unity.catalog.version(MODELS[1].name) == 2
    assert unity.server.calls == [("GET", "/tables/dev.silver.table_1")]
    assert work == {"names": 1, "open": 4}
