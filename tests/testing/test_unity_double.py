"""The double of a Unity Catalog server answers as the real one was seen to answer."""

from __future__ import annotations

import json

import httpx
import pytest

from pytest_delta_schema.testing.unity import UnityDouble

ROOT = "/api/2.1/unity-catalog"
TABLE = "/delta/v1/catalogs/dev/schemas/silver/tables/orders"
ID = {"name": "id", "type": "long", "nullable": False, "metadata": {"comment": "Key"}}
DAY = {"name": "day", "type": "date", "nullable": True, "metadata": {}}


@pytest.fixture
def double():
    with UnityDouble() as made:
        made.records.create_catalog({"name": "dev"})
        made.records.create_schema({"name": "silver", "catalog_name": "dev"})
        made.records.create_table(record("orders"))
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


def record(name, **more):
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
    info, etag = double.records.tables["dev.silver.orders"], double.records.etags["dev.silver.orders"]
    said = {"uuid": info["table_id"], "etag": etag, **requirements}
    required = [{"type": f"assert-{'table-uuid' if key == 'uuid' else key}", key: value} for key, value in said.items()]
    return {"requirements": [each for each in required if each.get("uuid", "") is not None], "updates": list(updates)}


def columns(*fields):
    return {"action": "set-columns", "columns": {"type": "struct", "fields": list(fields)}}


def parted(*names):
    return {"action": "set-partition-columns", "partition-columns": list(names)}


def test_it_listens_on_loopback(double):
    assert double.uri.startswith("http://127.0.0.1:")


CLASSIC = [
    ("GET", "/catalogs", None, 200, {"catalogs": [{"name": "dev"}], "next_page_token": None}),
    ("GET", "/schemas/dev.silver", None, 200, {"name": "silver", "catalog_name": "dev"}),
    ("GET", "/tables/dev.silver.zzz", None, 404, ("TABLE_NOT_FOUND", "Table not found: dev.silver.zzz")),
    ("GET", "/schemas/dev.zzz", None, 404, ("SCHEMA_NOT_FOUND", "Schema not found: dev.zzz")),
    ("GET", "/catalogs/zzz", None, 404, ("CATALOG_NOT_FOUND", "Catalog not found: zzz")),
    ("GET", "/tables?catalog_name=dev&schema_name=zzz", None, 404, ("SCHEMA_NOT_FOUND", "Schema not found: dev.zzz")),
    ("POST", "/catalogs", {"name": "dev"}, 400, ("CATALOG_ALREADY_EXISTS", "dev already exists")),
    ("POST", "/tables", record("orders"), 400, ("TABLE_ALREADY_EXISTS", "Table already exists: dev.silver.orders")),
    ("POST", "/tables", record("m", table_type="MANAGED"), 404, ("TABLE_NOT_FOUND", "Staging table not found")),
    (
        "DELETE",
        "/schemas/dev.silver",
        None,
        400,
        ("FAILED_PRECONDITION", "Cannot delete schema with tables: dev.silver"),
    ),
    ("PATCH", "/tables/dev.silver.orders", {"comment": "x"}, 405, ("METHOD_NOT_ALLOWED", "PATCH is not allowed")),
    ("PATCH", "/schemas/dev.silver", {"comment": "x"}, 200, {"name": "silver", "catalog_name": "dev", "comment": "x"}),
    ("DELETE", "/tables/dev.silver.orders", None, 200, "200 OK"),
    ("POST", f"{TABLE}/rename", {"new-name": "sales"}, 204, ""),
    ("HEAD", TABLE, None, 204, ""),
    ("HEAD", TABLE.replace("orders", "zzz"), None, 404, ""),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "said"), CLASSIC)
def test_calls_and_answers(call, method, path, body, status, said):
    found = call(method, path, body)

    if isinstance(said, tuple):
        code, message = said
        detail = {"reason": code, "@type": "google.rpc.ErrorInfo"}
        said = {"error_code": code, "details": [detail], "message": message}
    assert found == (status, said)


def test_the_delta_api_has_errors_of_its_own_form(call):
    assert call("GET", TABLE.replace("orders", "zzz")) == (
        404,
        {
            "error": {
                "message": "Table not found: dev.silver.zzz",
                "type": "NoSuchTableException",
                "code": 404,
                "stack": None,
            }
        },
    )


INVALID, CONFLICT = "InvalidParameterValueException", "UpdateRequirementConflictException"
COMMENT = {"action": "set-table-comment", "comment": "x"}

REFUSED = {
    "wrong uuid": ([COMMENT], {"uuid": "0"}, 409, CONFLICT),
    "stale etag": ([COMMENT], {"etag": "0"}, 409, CONFLICT),
    "no uuid": ([COMMENT], {"uuid": None}, 400, INVALID),
    "same action twice": ([COMMENT, COMMENT], {}, 400, INVALID),
    "nothing to do": ([], {}, 400, INVALID),
    "set and removed": (
        [
            {"action": "set-properties", "updates": {"a": "1"}},
            {"action": "remove-properties", "removals": ["a"]},
        ],
        {},
        400,
        INVALID,
    ),
    "empty columns": ([columns()], {}, 400, INVALID),
    "names without case": ([columns(ID, {**ID, "name": "ID"})], {}, 400, INVALID),
    "a type of SQL": ([columns({**ID, "type": "int"})], {}, 400, INVALID),
    "unknown partition": ([columns(ID), parted("day")], {}, 400, INVALID),
    "null comment": ([{"action": "set-table-comment", "comment": None}], {}, 400, INVALID),
    "unknown action": ([{"action": "set-owner", "owner": "me"}], {}, 400, INVALID),
    "camel case": (
        [columns({**ID, "type": {"type": "array", "elementType": "long", "containsNull": True}})],
        {},
        400,
        INVALID,
    ),
    "no struct": ([{"action": "set-columns", "columns": {"fields": [ID]}}], {}, 400, INVALID),
}


@pytest.mark.parametrize(("updates", "requirements", "status", "kind"), REFUSED.values(), ids=REFUSED)
def test_updates_that_are_refused_do_nothing(double, call, updates, requirements, status, kind):
    before = call("GET", "/tables/dev.silver.orders")

    found, said = call("POST", TABLE, update(double, *updates, **requirements))

    assert (found, said["error"]["type"], said["error"]["code"]) == (status, kind, status)
    assert call("GET", "/tables/dev.silver.orders") == before


@pytest.mark.parametrize("name", ["unknown action", "camel case", "no struct"])
def test_what_cannot_be_read_is_said_so(double, call, name):
    _, said = call("POST", TABLE, update(double, *REFUSED[name][0]))

    assert said["error"]["message"].startswith("failed to parse a JSON document")


def test_one_update_sets_everything_and_keeps_the_id(double, call):
    before = call("GET", "/tables/dev.silver.orders")[1]
    nested = {
        "type": "map",
        "key-type": "string",
        "value-type": {"type": "array", "element-type": "decimal(9,3)", "contains-null": False},
        "value-contains-null": True,
    }
    said = [
        columns(ID, DAY, {"name": "m", "type": nested, "nullable": True, "metadata": {}}),
        parted("day"),
        {"action": "set-table-comment", "comment": "All"},
        {"action": "set-properties", "updates": {"team": "x"}},
        {"action": "remove-properties", "removals": ["never.there"]},
        {"action": "update-metadata-snapshot-version", "last-commit-version": 3, "last-commit-timestamp-ms": 5},
    ]

    status, shown = call("POST", TABLE, update(double, *said))

    after = call("GET", "/tables/dev.silver.orders")[1]
    assert status == 200
    assert after["table_id"] == before["table_id"]
    assert after["comment"] == "All"
    assert after["properties"] == {"team": "x", "delta.lastUpdateVersion": "3", "delta.lastCommitTimestamp": "5"}
    assert [
        (
            each["name"],
            each["position"],
            each["type_text"],
            each["type_name"],
            each["partition_index"],
            each["nullable"],
        )
        for each in after["columns"]
    ] == [
        ("id", 0, "bigint", "LONG", None, False),
        ("day", 1, "date", "DATE", 0, True),
        ("m", 2, "map<string,array<decimal(9,3)>>", "MAP", None, True),
    ]
    assert [each["type_precision"] for each in after["columns"]] == [None, None, None]
    assert json.loads(after["columns"][2]["type_json"])["type"]["valueType"]["elementType"] == "decimal(9,3)"
    assert shown["metadata"]["columns"]["fields"][2]["type"] == nested
    assert shown["metadata"]["last-commit-version"] == 3
    assert "comment" not in shown["metadata"]


def test_columns_alone_keep_the_partitions_and_fail_where_one_is_gone(double, call):
    call("POST", TABLE, update(double, columns(ID, DAY), parted("day")))

    assert call("POST", TABLE, update(double, columns(ID)))[0] == 400
    assert call("POST", TABLE, update(double, columns(DAY)))[0] == 200


def test_an_older_version_is_taken(double, call):
    for version in (5, 2):
        said = {
            "action": "update-metadata-snapshot-version",
            "last-commit-version": version,
            "last-commit-timestamp-ms": 1,
        }
        assert call("POST", TABLE, update(double, said))[0] == 200


def test_managed_tables_are_changed_without_a_commit(double, call):
    double.records.tables["dev.silver.orders"]["table_type"] = "MANAGED"

    assert call("POST", TABLE, update(double, COMMENT))[0] == 200


def test_the_classic_way_gives_a_new_id_and_keeps_what_was_sent(call):
    before = call("GET", "/tables/dev.silver.orders")[1]
    sent = {"name": "d", "type_text": "decimal(9,3)", "type_name": "DECIMAL", "type_precision": 9, "type_scale": 3}
    sent |= {"position": 0, "partition_index": 0, "type_json": '{"name":"d","type":"decimal(9,3)","nullable":true}'}

    call("DELETE", "/tables/dev.silver.orders")
    status, after = call("POST", "/tables", record("orders", columns=[sent]))

    assert (status, after["columns"]) == (200, [sent])
    assert after["table_id"] != before["table_id"]


def test_pages(double, call):
    for number in range(4):
        double.records.create_table(record(f"t{number}"))

    where = "/tables?catalog_name=dev&schema_name=silver&max_results=2"
    first = call("GET", where)[1]
    last = call("GET", f"{where}&page_token=4")[1]

    assert ([each["name"] for each in first["tables"]], first["next_page_token"]) == (["orders", "t0"], "2")
    assert ([each["name"] for each in last["tables"]], last["next_page_token"]) == (["t3"], None)


def test_what_spark_makes_in_the_store_has_a_record_without_columns(tmp_path):
    from support.logs import delta_log, field  # noqa: PLC0415 - for this test alone

    folder = delta_log(tmp_path / "dev" / "silver" / "orders", field("id"), comment="Made", team="x")
    with UnityDouble(tmp_path) as made, httpx.Client(base_url=f"{made.uri}{ROOT}") as client:
        found = client.get("/tables/dev.silver.orders").json()

    assert (found["columns"], found["properties"], found["comment"]) == ([], {}, "Made")
    assert (found["table_type"], found["storage_location"]) == ("EXTERNAL", folder.as_uri())


def test_a_server_that_is_too_old_has_no_delta_api(call, double):
    double._delta_api = False

    assert call("GET", "/delta/v1/config?catalog=dev&protocol-versions=1.0")[0] == 404
    assert call("POST", TABLE, update(double, COMMENT))[0] == 404
    assert call("GET", "/tables/dev.silver.orders")[0] == 200
