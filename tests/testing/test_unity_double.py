"""The double of a Unity Catalog server answers as the real one was seen to answer."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.unity.entries import entry_of
from pytest_delta_schema.delta.properties import IMPOSED
from pytest_delta_schema.plan import entry_differences
from pytest_delta_schema.state.delta_log import LogFacts
from pytest_delta_schema.testing.unity import UnityDouble

ROOT = "/api/2.1/unity-catalog"
TABLE = "/delta/v1/catalogs/dev/schemas/silver/tables/orders"
ID = {"name": "id", "type": "long", "nullable": False, "metadata": {"comment": "Key"}}
DAY = {"name": "day", "type": "date", "nullable": True, "metadata": {}}
ABSENT = "(absent)"


@pytest.fixture
def double():
    with UnityDouble() as made:
        made.metastore.create_catalog({"name": "dev"})
        made.metastore.create_schema({"name": "silver", "catalog_name": "dev"})
        made.metastore.create_table(entry("orders"))
        yield made


@pytest.fixture
def call(double):
    with httpx.Client(base_url=f"{double.uri}{ROOT}") as client:

        def ask(method, path, body=None):
            answer = client.request(method, path, json=body)
            try:
                return answer.status_code, answer.json()
            except ValueError:
                return answer.status_code, answer.text

        yield ask


def entry(name, **more):
    return {
        "name": name,
        "catalog_name": "dev",
        "schema_name": "silver",
        "table_type": "EXTERNAL",
        "data_source_format": "DELTA",
        "storage_location": f"file:///lake/{name}",
        **more,
    }


def update(double, *updates, **requirements):
    info, etag = double.metastore.tables["dev.silver.orders"], double.metastore.etags["dev.silver.orders"]
    answered = {"uuid": info["table_id"], "etag": etag, **requirements}
    required = [
        {"type": f"assert-{'table-uuid' if key == 'uuid' else key}", key: value} for key, value in answered.items()
    ]
    return {
        "requirements": [requirement for requirement in required if ABSENT not in requirement.values()],
        "updates": list(updates),
    }


def columns(*fields):
    return {"action": "set-columns", "columns": {"type": "struct", "fields": list(fields)}}


def partitioned(*names):
    return {"action": "set-partition-columns", "partition-columns": list(names)}


def commit_version(number):
    return {
        "action": "update-metadata-snapshot-version",
        "last-commit-version": number,
        "last-commit-timestamp-ms": 5,
    }


ORDERS = "/tables/dev.silver.orders"


def seen(file):
    """Return what was seen of the real server (Unity Catalog 0.6.0), a line for each call."""
    return [json.loads(line) for line in Path(__file__).with_name(file).read_text("utf-8").splitlines()]


def test_calls_and_answers(call):
    """Only the last three calls change anything."""
    for row in seen("unity_answers.jsonl"):
        status, answer = call(*row["call"].split(" "), row["body"])

        assert {**row, "status": status, "answer": answer} == row


FAILED = "InternalServerErrorException"
COMMENT = {"action": "set-table-comment", "comment": "x"}


def properties(updates):
    return {"action": "set-properties", "updates": updates}


def test_updates_that_are_refused_do_nothing(double, call):
    before, refused = call("GET", ORDERS), seen("unity_refusals.jsonl")
    for row in refused:
        current, answered = call("POST", TABLE, update(double, *row["updates"], **row["requirements"]))

        error, name = answered["error"], row["name"]
        assert (name, current, error["type"], error["code"]) == (name, row["status"], row["type"], row["status"])
        assert error["message"].startswith(row["message"]), name
        assert call("GET", ORDERS) == before, name


def test_every_so_manieth_update_loses_a_race_as_on_the_embedded_database(double, call):
    double.deadlocks = 2

    answers = [call("POST", TABLE, update(double, COMMENT)) for _ in range(4)]

    assert [status for status, _ in answers] == [200, 500, 200, 500]
    assert answers[1][1]["error"]["type"] == FAILED
    message = answers[1][1]["error"]["message"]
    assert message.startswith("Failed to update table dev.silver.orders: JDBC exception executing SQL [select ")
    assert message.index("Deadlock detected. The current transaction was rolled back.") > 800


def test_one_update_sets_everything_and_keeps_the_id(double, call):
    before = call("GET", "/tables/dev.silver.orders")[1]
    nested = {
        "type": "map",
        "key-type": "string",
        "value-type": {"type": "array", "element-type": "decimal(9,3)", "contains-null": False},
        "value-contains-null": True,
    }
    answered = [
        columns(ID, DAY, {"name": "m", "type": nested, "nullable": True, "metadata": {}}),
        partitioned("day"),
        {"action": "set-table-comment", "comment": "All"},
        properties({"team": "x"}),
        {"action": "remove-properties", "removals": ["never.there"]},
        commit_version(3),
    ]

    status, shown = call("POST", TABLE, update(double, *answered))

    after = call("GET", "/tables/dev.silver.orders")[1]
    assert status == 200
    assert after["table_id"] == before["table_id"]
    assert after["comment"] == "All"
    assert after["properties"] == {"team": "x", "delta.lastUpdateVersion": "3", "delta.lastCommitTimestamp": "5"}
    keys = ("name", "position", "type_text", "type_name", "partition_index", "nullable")
    assert [tuple(column[key] for key in keys) for column in after["columns"]] == [
        ("id", 0, "bigint", "LONG", None, False),
        ("day", 1, "date", "DATE", 0, True),
        ("m", 2, "map<string,array<decimal(9,3)>>", "MAP", None, True),
    ]
    assert [column["type_precision"] for column in after["columns"]] == [None, None, None]
    assert json.loads(after["columns"][2]["type_json"])["type"]["valueType"]["elementType"] == "decimal(9,3)"
    assert shown["metadata"]["columns"]["fields"][2]["type"] == nested
    assert shown["metadata"]["last-commit-version"] == 3
    assert "comment" not in shown["metadata"]


def test_a_commit_to_a_managed_table_is_in_its_entry(double, call):
    fields = [ID, DAY, {"name": "x", "type": "integer", "nullable": True, "metadata": {}}]
    answered = {
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "description": "All",
        "partitionColumns": ["day"],
        "configuration": {**IMPOSED, "team": "x"},
    }
    log = LogFacts(answered, {}, version=4)
    before = call("GET", "/tables/dev.silver.orders")[1]

    double.metastore.commit("dev.silver.orders", log)

    after = call("GET", "/tables/dev.silver.orders")[1]
    assert (after["table_type"], after["table_id"]) == ("MANAGED", before["table_id"])
    assert entry_differences(entry_of(QualifiedName("dev", "silver", "orders"), after), log) == ()
    assert after["properties"] == {
        **IMPOSED,
        "team": "x",
        "io.unitycatalog.tableId": before["table_id"],
        "delta.lastUpdateVersion": "4",
    }
    assert [(column["name"], column["type_text"], column["partition_index"]) for column in after["columns"]] == [
        ("id", "bigint", None),
        ("day", "date", 0),
        ("x", "int", None),
    ]
