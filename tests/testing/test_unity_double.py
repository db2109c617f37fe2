"""The double of a Unity Catalog server answers as the real one was seen to answer."""

from __future__ import annotations

import functools
import json
import re
import shutil
from pathlib import Path
from typing import Any

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


def nested(*fields):
    return {"name": "s", "type": {"type": "struct", "fields": list(fields)}, "nullable": True, "metadata": {}}


def type_json(**more):
    return json.dumps({"name": "d", "type": "date", "nullable": True, "metadata": {}, **more})


def classic_column(**more):
    return {"name": "d", "type_text": "date", "type_name": "DATE", "position": 0, "nullable": True, **more}


def test_it_listens_on_loopback(double):
    assert double.uri.startswith("http://127.0.0.1:")


LISTING = "/tables?catalog_name=dev&schema_name=silver"


ORDERS = "/tables/dev.silver.orders"


def seen(file):
    """Return what was seen of the real server (Unity Catalog 0.6.0), a line for each call."""
    return [json.loads(line) for line in Path(__file__).with_name(file).read_text("utf-8").splitlines()]


def test_calls_and_answers(call):
    """Only the last three calls change anything."""
    for row in seen("unity_answers.jsonl"):
        status, answer = call(*row["call"].split(" "), row["body"])

        assert {**row, "status": status, "answer": answer} == row


def delta_error(kind, message, status=404):
    return {"error": {"message": message, "type": kind, "code": status, "stack": None}}


def test_the_delta_api_has_errors_of_its_own_form(call):
    no_catalog = delta_error("NoSuchCatalogException", "Catalog not found: zzz")
    no_table = delta_error("NoSuchTableException", "Table not found: dev.silver.zzz")

    assert call("GET", TABLE.replace("orders", "zzz")) == (404, no_table)
    assert call("GET", TABLE.replace("silver", "zzz")) == (
        404,
        delta_error("NoSuchSchemaException", "Schema not found: dev.zzz"),
    )
    assert call("GET", TABLE.replace("dev", "zzz")) == (404, no_catalog)
    assert call("GET", "/delta/v1/config?catalog=zzz&protocol-versions=1.0") == (404, no_catalog)


def test_the_configuration_is_that_of_a_catalog(call):
    status, current = call("GET", "/delta/v1/config?catalog=dev&protocol-versions=1.0")

    assert (status, current["protocol-version"], len(current["endpoints"])) == (200, "1.0", 12)
    for query, message in (
        ("protocol-versions=1.0", "Must supply a proper catalog in catalog parameter."),
        ("catalog=dev", "Mandatory parameter/header is missing: protocol-versions"),
    ):
        error = delta_error("InvalidParameterValueException", message, 400)
        assert call("GET", f"/delta/v1/config?{query}") == (400, error)


def test_the_delta_api_fails_for_views_and_for_tables_that_are_not_delta_tables(double, call):
    orders = double.metastore.tables["dev.silver.orders"]
    for kind in ("VIEW", "METRIC_VIEW"):
        orders["table_type"] = kind
        status, current = call("GET", TABLE)
        assert (status, current["error"]["type"]) == (500, "InternalServerErrorException")
        assert current["error"]["message"].endswith(f"Unexpected value '{kind}'")
    for files in ("CSV", "PARQUET", None):
        double.metastore.create_table(entry(f"files_{files}", data_source_format=files))
        where = TABLE.replace("orders", f"files_{files}")

        answers = [call("GET", where), call("POST", where, update(double, COMMENT))]

        assert [(status, current["error"]["type"]) for status, current in answers] == [
            (400, "UnsupportedTableFormatException"),
        ] * 2
        assert call("GET", f"/tables/dev.silver.files_{files}")[0] == 200


def test_names_have_few_characters_and_at_most_255_of_them(call):
    for path, body in (("/catalogs", {}), ("/schemas", {"catalog_name": "dev"}), ("/tables", entry("x"))):
        names = ("A_b-9@", "n" * 255, "n" * 256, "a b", "\u00e9", "")
        assert [call("POST", path, {**body, "name": name})[0] for name in names] == [200, 200, 400, 400, 400, 400]


def test_the_delta_api_shows_which_commits_are_in_the_catalog_only(double, call):
    assert call("GET", TABLE)[1].keys() == {"metadata", "commits"}
    double.metastore.latest["dev.silver.orders"] = 3
    double.metastore.commits["dev.silver.orders"] = [{"version": 3}]

    shown = call("GET", TABLE)[1]

    assert (shown["latest-table-version"], shown["commits"]) == (3, [{"version": 3}])


INVALID = "InvalidParameterValueException"
FAILED = "InternalServerErrorException"
COMMENT = {"action": "set-table-comment", "comment": "x"}
EMOJI = "\U0001f600"
"""A character of two UTF-16 units, in which the server's database counts."""


def changed(**parts):
    """Set a column that differs from an ordinary one in some parts."""
    return columns({**DAY, **parts})


def properties(updates):
    return {"action": "set-properties", "updates": updates}


PARSE = "failed to parse a JSON document"
LONG = 'could not execute statement [Value too long for column "PROPERTY_VALUE CHARACTER VARYING(255)"'
LONG_TEXTS = {
    "a value of more than 255 units": properties({"a": EMOJI * 200}),
    "long comment": {**COMMENT, "comment": "c" * 65_536},
    "a comment of more than 65,535 units": {**COMMENT, "comment": EMOJI * 32_768},
    "long comment of a column": changed(metadata={"comment": "c" * 65_536}),
    "a name of 128 emoji": changed(name=EMOJI * 128),
}


def test_updates_that_are_refused_do_nothing(double, call):
    before, refused = call("GET", ORDERS), seen("unity_refusals.jsonl")
    for name, action in LONG_TEXTS.items():
        row = {"requirements": {}, "status": 500, "type": FAILED, "message": LONG if "value" in name else ""}
        refused.append({"name": name, "updates": [action], **row})
    for row in refused:
        current, answered = call("POST", TABLE, update(double, *row["updates"], **row["requirements"]))

        error, name = answered["error"], row["name"]
        assert (name, current, error["type"], error["code"]) == (name, row["status"], row["type"], row["status"])
        assert error["message"].startswith(row["message"]), name
        assert call("GET", ORDERS) == before, name


def test_requests_that_no_client_means(double, call):
    edits: list[tuple[dict[str, Any], str]] = [
        ({"why": "x"}, f"{PARSE}: not an update: ['requirements', 'updates', 'why']"),
        ({"requirements": [{"type": "assert-create"}]}, f"{PARSE}: Could not resolve type id"),
        ({"requirements": [{"type": "assert-etag", "why": 1}]}, f'{PARSE}: Unrecognized field "why"'),
        (
            {"requirements": [{"type": "assert-etag", "etag": "0"}] * 2},
            "At most one assert-etag is allowed per request.",
        ),
    ]
    for edit, text in edits:
        status, body = call("POST", TABLE, {**update(double, COMMENT), **edit})

        assert (status, body["error"]["type"]) == (400, INVALID)
        assert body["error"]["message"].startswith(text)


def test_a_body_that_is_no_json(double, call):
    with httpx.Client(base_url=f"{double.uri}{ROOT}") as client:
        answers = [client.post(TABLE, content=body) for body in ("{", "[]")]

    assert [(answer.status_code, answer.json()["error"]["type"]) for answer in answers] == [(400, INVALID)] * 2
    assert call("GET", ORDERS)[1]["comment"] is None


COLLATED = {"__COLLATIONS": {"day": "spark.UTF8_LCASE"}}
PROTOCOL = {"min-reader-version": 1, "min-writer-version": 7, "writer-features": ["x"]}
DEEP = functools.reduce(lambda inner, _: nested(inner), range(60), DAY)
TAKEN: dict[str, tuple[Any, ...]] = {
    "a uuid that is null": ([COMMENT], {"uuid": None}),
    "no etag": ([COMMENT], {"etag": ABSENT}),
    "a partition in another case": ([columns(ID, DAY), partitioned("DAY")], {}),
    "a long comment": ([{**COMMENT, "comment": "c" * 65_535}], {}),
    "long properties": ([properties({"k" * 255: "v" * 255})], {}),
    "254 units": ([properties({"a": EMOJI * 127})], {}),
    "another day": ([columns(DAY), partitioned()], {}),
    "a decimal with a blank": ([changed(type="decimal(10, 2)")], {}),
    "a name of 255 units": ([changed(name="n" * 255)], {}),
    "a comment that is a number": ([changed(metadata={"comment": 5})], {}),
    "a collated column": ([changed(type="string", metadata=COLLATED)], {}),
    "a struct 60 deep": ([columns(DEEP)], {}),
    "a protocol": ([{"action": "set-protocol", "protocol": PROTOCOL}], {}),
}


def test_updates_that_are_taken(double, call):
    for name, (updates, requirements) in TAKEN.items():
        assert (name, call("POST", TABLE, update(double, *updates, **requirements))[0]) == (name, 200)


def test_what_an_update_leaves(double, call):
    decimal = {**DAY, "name": "d", "type": "decimal(10, 2)"}
    updates = [columns(DAY, decimal), partitioned("DAY"), properties({"number": 5, "flag": "true"})]

    status, _ = call("POST", TABLE, update(double, *updates, {"action": "set-protocol", "protocol": PROTOCOL}))

    after = call("GET", ORDERS)[1]
    assert status == 200
    assert after["properties"] == {
        "delta.minReaderVersion": "1",
        "delta.minWriterVersion": "7",
        "delta.feature.x": "supported",
        "number": "5",
        "flag": "true",
    }
    assert [(column["partition_index"], column["type_text"]) for column in after["columns"]] == [
        (0, "date"),
        (None, "decimal(10,2)"),
    ]


def test_every_so_manieth_update_loses_a_race_as_on_the_embedded_database(double, call):
    double.deadlocks = 2

    answers = [call("POST", TABLE, update(double, COMMENT)) for _ in range(4)]

    assert [status for status, _ in answers] == [200, 500, 200, 500]
    assert answers[1][1]["error"]["type"] == FAILED
    message = answers[1][1]["error"]["message"]
    assert message.startswith("Failed to update table dev.silver.orders: JDBC exception executing SQL [select ")
    assert message.index("Deadlock detected. The current transaction was rolled back.") > 800


def test_an_etag_is_the_time_beside_the_version(double, call):
    version = commit_version(3)
    before = call("GET", TABLE)[1]["metadata"]
    after = call("POST", TABLE, update(double, version))[1]["metadata"]

    assert re.fullmatch(r"etag-\d{13}", before["etag"])
    assert int(after["etag"][5:]) > int(before["etag"][5:])
    assert (after["last-commit-version"], after["last-commit-timestamp-ms"]) == (3, 5)
    assert "last-commit-version" not in before


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


def test_columns_alone_keep_the_partitions_and_fail_where_one_is_gone(double, call):
    call("POST", TABLE, update(double, columns(ID, DAY), partitioned("day")))

    assert call("POST", TABLE, update(double, columns(ID)))[0] == 400
    assert call("POST", TABLE, update(double, columns(DAY)))[0] == 200


def test_an_older_version_is_taken(double, call):
    assert [call("POST", TABLE, update(double, commit_version(number)))[0] for number in (5, 2)] == [200, 200]


def test_managed_tables_are_changed_without_a_commit_and_keep_their_version(double, call):
    double.metastore.tables["dev.silver.orders"]["table_type"] = "MANAGED"
    version = commit_version(3)

    statuses = [call("POST", TABLE, update(double, *actions))[0] for actions in ([COMMENT], [version, COMMENT])]
    _, refused = call("POST", TABLE, update(double, version))

    assert statuses == [200, 400]
    assert refused["error"]["type"] == INVALID
    assert refused["error"]["message"].startswith(
        "update-metadata-snapshot-version is only supported for EXTERNAL Delta tables"
    )


def test_a_managed_table_is_made_where_it_was_staged(call):
    call("POST", "/catalogs", {"name": "lake", "storage_root": "file:///lake/"})
    call("POST", "/schemas", {"name": "silver", "catalog_name": "lake"})
    where = "/delta/v1/catalogs/lake/schemas/silver/staging-tables"

    staged = [call("POST", where, {"name": name}) for name in ("t", " ", None)]
    made = staged[0][1]
    mine = {"catalog_name": "lake", "table_type": "MANAGED", "storage_location": made["location"]}
    created = [call("POST", "/tables", entry("t", **mine)) for _ in range(2)]

    assert [status for status, _ in staged] == [200, 400, 400]
    assert staged[1][1]["error"]["message"] == "Staging table name is required."
    assert made["location"].startswith("file:///lake/__unitystorage/")
    assert created[0][1]["table_id"] == made["table-id"]
    assert [status for status, _ in created] == [200, 400]


def test_a_view_has_no_files(tmp_path):
    with UnityDouble(tmp_path) as made, httpx.Client(base_url=f"{made.uri}{ROOT}") as client:
        made.metastore.create_catalog({"name": "dev"})
        made.metastore.create_schema({"name": "silver", "catalog_name": "dev"})
        view = entry("v", table_type="METRIC_VIEW", view_definition="measures: []")

        status = client.post("/tables", json=view).status_code
        listed = client.get(LISTING).json()["tables"]

    assert (status, [(table["name"], table["storage_location"]) for table in listed]) == (200, [("v", None)])


def test_the_classic_way_gives_a_new_id_and_keeps_what_was_sent(call):
    before = call("GET", "/tables/dev.silver.orders")[1]
    sent = {"name": "d", "type_text": "decimal(9,3)", "type_name": "DECIMAL", "type_precision": 9, "type_scale": 3}
    sent |= {"position": 0, "partition_index": 0, "nullable": True, "type_json": type_json(type="decimal(9,3)")}
    mine = {"table_id": before["table_id"], "owner": "me"}

    call("DELETE", "/tables/dev.silver.orders")
    status, after = call("POST", "/tables", entry("orders", columns=[sent], **mine))

    assert (status, after["columns"], after["owner"]) == (200, [sent], None)
    assert after["table_id"] != before["table_id"]


ODD_COLUMNS = {
    "no JSON": {},
    "no whole field": {"type_json": '"date"'},
    "no JSON at all": {"type_json": "{"},
    "no metadata": {"type_json": '{"name":"d","type":"date","nullable":true}'},
    "another nullability": {"type_json": type_json(nullable=False)},
    "another name": {"type_json": type_json(name="e")},
}


def test_columns_that_contradict_themselves_are_refused(call):
    for edit in ODD_COLUMNS.values():
        status, body = call("POST", "/tables", entry("t", columns=[classic_column(**edit)]))

        assert (status, body["error_code"]) == (400, "INVALID_ARGUMENT")
        assert body["message"].startswith("Invalid type_json for column d: ")


def test_locations_are_written_in_one_way(call):
    stored = {
        "/lake/t": "file:///lake/t",
        "file:/lake/u": "file:///lake/u",
        "file:///lake/v/": "file:///lake/v",
        "s3://lake/t/": "s3://lake/t",
    }
    entries = {sent: entry(f"t{number}", storage_location=sent) for number, sent in enumerate(stored)}

    assert {sent: call("POST", "/tables", body)[1]["storage_location"] for sent, body in entries.items()} == stored


def test_schemas_and_catalogs_differ_by_case(call):
    for path, body in (("/catalogs", {"name": "Dev"}), ("/schemas", {"name": "SILVER", "catalog_name": "dev"})):
        assert call("POST", path, body) == (200, body)

    assert [schema["name"] for schema in call("GET", "/schemas?catalog_name=dev")[1]["schemas"]] == ["SILVER", "silver"]
    assert call("GET", "/schemas?catalog_name=Dev")[1]["schemas"] == []
    assert call("GET", "/tables?catalog_name=dev&schema_name=SILVER")[1]["tables"] == []


def test_names_differ_by_case(call):
    assert [call("POST", "/tables", entry(name))[0] for name in ("Orders", "ORDERS")] == [200, 200]
    listed = call("GET", "/tables?catalog_name=dev&schema_name=silver")[1]["tables"]
    assert [name["name"] for name in listed] == ["ORDERS", "Orders", "orders"]


def test_pages(double, call):
    for number in range(4):
        double.metastore.create_table(entry(f"t{number}"))

    pages = [call("GET", f"{LISTING}&max_results=2{token}")[1] for token in ("", "&page_token=t0", "&page_token=t2")]

    assert [([table["name"] for table in page["tables"]], page["next_page_token"]) for page in pages] == [
        (["orders", "t0"], "t0"),
        (["t1", "t2"], "t2"),
        (["t3"], None),
    ]


def test_a_page_is_never_larger_than_a_hundred_and_a_full_one_has_a_token(double, call):
    for number in range(149):
        double.metastore.create_catalog({"name": f"x{number:03}"})
        double.metastore.create_schema({"name": f"x{number:03}", "catalog_name": "dev"})
    for number in range(99):
        double.metastore.create_table(entry(f"t{number:03}"))

    listed = {
        key: [call("GET", f"{path}max_results=500{token and f'&page_token={token}'}")[1] for token in ("", last)]
        for key, path, last in (
            ("catalogs", "/catalogs?", "x098"),
            ("schemas", "/schemas?catalog_name=dev&", "x098"),
            ("tables", f"{LISTING}&", "t098"),
        )
    }

    assert {key: [(len(page[key]), page["next_page_token"]) for page in of_key] for key, of_key in listed.items()} == {
        "catalogs": [(100, "x098"), (50, None)],
        "schemas": [(100, "x098"), (50, None)],
        "tables": [(100, "t098"), (0, None)],
    }


def test_files_need_no_credentials(double, call):
    request = {"table_id": double.metastore.tables["dev.silver.orders"]["table_id"], "operation": "READ"}

    assert call("POST", "/temporary-table-credentials", request) == (
        200,
        {
            "aws_temp_credentials": None,
            "azure_user_delegation_sas": None,
            "gcp_oauth_token": None,
            "expiration_time": None,
            "url": "file:///lake/orders",
        },
    )


def test_a_bucket_without_a_configuration_is_a_failed_precondition(double, call):
    stores = {"s3://lake/t": "S3", "abfss://lake@x.dfs.core.windows.net/t": "Azure", "gs://lake/t": "GCS"}
    for location, store in stores.items():
        made = double.metastore.create_table(entry(store, storage_location=location))

        status, body = call("POST", "/temporary-table-credentials", {"table_id": made["table_id"], "operation": "READ"})

        assert (status, body["error_code"]) == (400, "FAILED_PRECONDITION")
        assert body["message"] == f"{store} bucket configuration not found."


class TestAuthorization:
    """With authorization on, answers come before either API is reached."""

    @pytest.fixture
    def call(self):
        with UnityDouble(token="me") as double:  # noqa: S106 - of nobody
            double.metastore.create_catalog({"name": "dev"})
            double.metastore.create_schema({"name": "silver", "catalog_name": "dev"})
            for name in ("orders", "secret"):
                double.metastore.create_table(entry(name))
            double.hidden.add("dev.silver.secret")
            headers = {"Authorization": "Bearer me"}
            with httpx.Client(base_url=f"{double.uri}{ROOT}", headers=headers) as client:

                def ask(method, path, body=None):
                    answer = client.request(method, path, json=body)
                    return answer.status_code, answer.json()

                ask.double = double  # type: ignore[attr-defined]
                yield ask

    def test_another_token(self, call):
        with httpx.Client(base_url=f"{call.double.uri}{ROOT}") as client:
            assert client.get("/catalogs").status_code == 401

    def test_forbidden(self, call):
        for path in ("/tables/dev.silver.secret", TABLE.replace("orders", "secret")):
            status, body = call("GET", path)
            assert (status, body["error_code"]) == (403, "PERMISSION_DENIED")

    def test_a_forbidden_schema_or_catalog(self, call):
        for hidden, path in (("dev.silver", "/schemas/dev.silver"), ("dev", "/catalogs/dev")):
            call.double.hidden.clear()
            call.double.hidden.add(hidden)

            assert [call("GET", hidden_path)[0] for hidden_path in (path, ORDERS, LISTING)] == [403] * 3

    def test_missing(self, call):
        assert call("GET", "/tables/dev.silver.zzz")[0] == 404
        assert call("GET", "/delta/v1/config?catalog=zzz&protocol-versions=1.0")[1]["error_code"] == "CATALOG_NOT_FOUND"
        assert call("GET", "/delta/v1/config?catalog=dev&protocol-versions=1.0")[0] == 200

    def test_lists_are_filtered(self, call):
        listed = call("GET", "/tables?catalog_name=dev&schema_name=silver")[1]["tables"]
        call.double.hidden.add("dev")

        assert [name["name"] for name in listed] == ["orders"]
        assert call("GET", "/catalogs")[1]["catalogs"] == []

    def test_who_may_select_alone_cannot_update(self, call):
        for name in ("dev.silver.orders", "dev.silver", "dev"):
            call.double.read_only.add(name)
            assert call("POST", TABLE, update(call.double, COMMENT))[0] == 403
            assert call("GET", TABLE)[0] == 200

            call.double.read_only.clear()
            assert call("POST", TABLE, update(call.double, COMMENT))[0] == 200


def test_what_spark_makes_in_the_store_has_an_entry_without_columns(tmp_path):
    from support.logs import delta_log, field  # noqa: PLC0415 - for this test alone

    folder = delta_log(tmp_path / "dev" / "silver" / "orders", field("id"), comment="Made", team="x")
    with UnityDouble(tmp_path) as made, httpx.Client(base_url=f"{made.uri}{ROOT}") as client:
        current = client.get("/tables/dev.silver.orders").json()

    assert (current["columns"], current["properties"], current["comment"]) == ([], {}, "Made")
    assert (current["table_type"], current["storage_location"]) == ("EXTERNAL", folder.as_uri())


def test_a_schema_that_spark_makes_in_the_store_stays_without_tables_until_spark_drops_it(tmp_path):
    from support.logs import delta_log, field  # noqa: PLC0415 - for this test alone

    table = delta_log(tmp_path / "dev" / "silver" / "orders", field("id"))
    with UnityDouble(tmp_path) as made, httpx.Client(base_url=f"{made.uri}{ROOT}") as client:
        statuses = [client.get("/tables/dev.silver.orders").status_code]
        for dropped in (table, table.parent):
            shutil.rmtree(dropped)
            statuses += [client.get(path).status_code for path in ("/tables/dev.silver.orders", "/schemas/dev.silver")]

    assert statuses == [200, 404, 200, 404, 404]


def test_a_schema_that_is_deleted_stays_deleted_though_its_folder_is_there(tmp_path):
    (tmp_path / "dev" / "silver").mkdir(parents=True)
    with UnityDouble(tmp_path) as made, httpx.Client(base_url=f"{made.uri}{ROOT}") as client:
        made.metastore.create_catalog({"name": "dev"})

        statuses = [client.request(method, "/schemas/dev.silver").status_code for method in ("GET", "DELETE", "GET")]

    assert statuses == [200, 200, 404]


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


def test_a_server_that_is_too_old_has_no_delta_api(call, double):
    double._delta_api = False

    assert call("GET", "/delta/v1/config?catalog=dev&protocol-versions=1.0") == (
        404,
        "Status: 404\nDescription: Not Found\n",
    )
    assert call("POST", TABLE, update(double, COMMENT))[0] == 404
    assert call("GET", "/tables/dev.silver.orders")[0] == 200
