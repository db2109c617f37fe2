"""What reading and comparing a table takes: requests, opened files, and schemas that are read."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from pytest_delta_schema import Column, Table
from pytest_delta_schema.backends.logs.files import LocalLog
from pytest_delta_schema.backends.unity import decoding
from pytest_delta_schema.engine.checks import check_entry
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.state import delta_log, log_facts
from support.logs import commit, field, metadata, protocol
from support.unity import lake

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

    for name in ("names", "read", "edges"):
        counted(LocalLog, name)
    # A schema is parsed in two modules, by one function.
    for module in (delta_log, log_facts):
        counted(module, "columns_of_schema")
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
    assert work == {"names": TABLES, "read": 1 + 4 * 4, "columns_of_schema": TABLES, "field_of": 2}


def test_a_few_tables_take_a_request_each_and_a_listing(unity, work):
    Gate(unity.catalog, MODELS[:2]).state()

    assert sorted(unity.server.calls) == [
        ("GET", "/tables"),
        ("GET", "/tables/dev.silver.table_0"),
        ("GET", "/tables/dev.silver.table_1"),
    ]
    assert work == {"names": 2, "read": 1 + 4, "columns_of_schema": 2, "field_of": 2}
