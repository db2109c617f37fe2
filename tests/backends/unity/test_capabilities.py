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


def test_short_ones_are_fine():
    model = table(column(), table_properties={"note": "x" * 255})

    for properties in (MANAGED, {"delta.feature.catalogOwned-preview": "supported"}):
        assert refused(model, state(stored("id"), table_properties=properties)) == []


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
