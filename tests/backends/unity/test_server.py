"""What we rely on of a Unity Catalog server, said in its own words: it holds for the double, and for a real server.

With ``DELTA_SCHEMA_TEST_UNITY_URI`` the same tests run against that one, in a catalog of their own that is removed in
the end; ``UNITY_CATALOG_TOKEN`` is its token. It has to reach the folder of the tests, where the logs are.
"""

from __future__ import annotations

import os
import uuid
from contextlib import suppress

import httpx
import pytest

from pytest_delta_schema import QualifiedName, UnityCatalog
from pytest_delta_schema.backends.unity import Secret, UnityClient
from pytest_delta_schema.backends.unity.connection import ServerError
from pytest_delta_schema.plan import entry_differences
from pytest_delta_schema.testing.unity import UnityDouble
from support.logs import commit, delta_log, field, metadata
from support.models import column, table
from support.unity import connection, external_table

REAL = os.environ.get("DELTA_SCHEMA_TEST_UNITY_URI", "")
ID, DAY = field("id", nullable=False, comment="Key"), field("day", "date")
DEEP = field(
    "deep",
    {"type": "array", "elementType": {"type": "struct", "fields": [field("x", "decimal(9,3)")]}, "containsNull": True},
)


class Place:
    """A table that a server knows, and its log."""

    def __init__(self, uri, folder, token):
        self.name = QualifiedName(f"pds_{uuid.uuid4().hex[:12]}", "silver", "orders")
        self.model = table(column(), name=str(self.name))
        self.folder = delta_log(folder, ID, DAY, DEEP, comment="All", partitioned_by=("day",), team="x")
        self.client = UnityClient(uri, token=Secret(token) if token else None)
        self.catalog = UnityCatalog(self.client)
        self.http = connection(self.client.uri, token)

    def register(self):
        for path, body in (
            ("/catalogs", {"name": self.name.catalog}),
            ("/schemas", {"name": self.name.schema, "catalog_name": self.name.catalog}),
            ("/tables", external_table(self.name, self.folder)),
        ):
            self.http.post(path, json=body).raise_for_status()

    def forget(self):
        for path in (f"/tables/{self.name}", f"/schemas/{self.name.catalog}.silver", f"/catalogs/{self.name.catalog}"):
            with suppress(httpx.HTTPError):
                self.http.delete(path)
        self.http.close()
        self.client.close()

    def differences(self):
        state = self.catalog.snapshot([self.model])
        return list(map(str, entry_differences(state.entries[self.name], state.logs[self.name])))

    def tag(self):
        return self.client.delta_table(self.name)["metadata"]


@pytest.fixture(
    params=[
        "double",
        pytest.param("real", marks=pytest.mark.skipif(not REAL, reason="DELTA_SCHEMA_TEST_UNITY_URI is not set")),
    ],
)
def bench(request, tmp_path):
    with UnityDouble() as double:
        uri, token = (REAL, os.environ.get("UNITY_CATALOG_TOKEN")) if request.param == "real" else (double.uri, None)
        made = Place(uri, tmp_path / "orders", token)
        made.register()
        yield made
        made.forget()


def test_a_synced_entry_keeps_its_id_and_is_not_updated_again(bench):
    before = bench.client.table(bench.name)["table_id"]
    assert bench.differences() == [
        "columns: the catalog entry has none, the log has 3",
        "comment: the catalog entry has '', the log has 'All'",
        "properties.team: the catalog entry has (absent), the log has 'x'",
    ]

    (done,) = bench.catalog.sync_entries([bench.model])
    tag = bench.tag()

    assert (done.version, bench.differences()) == (0, [])
    assert bench.client.table(bench.name)["table_id"] == before == tag["table-uuid"]
    assert bench.catalog.sync_entries([bench.model]) == ()
    assert bench.tag()["etag"] == tag["etag"]


def test_it_follows_the_log(bench):
    bench.catalog.sync_entries([bench.model])
    commit(
        bench.folder,
        1,
        metadata(field("id"), field("code", "string", __CHAR_VARCHAR_TYPE_STRING="varchar(5)"), new="1"),
    )

    assert bench.differences() == [
        "columns.day: the catalog entry has date, the log has (absent)",
        "columns.deep: the catalog entry has array<struct<x:decimal(9,3)>>, the log has (absent)",
        "columns.id.nullability: the catalog entry has not null, the log has nullable",
        "columns.id.comment: the catalog entry has 'Key', the log has ''",
        "columns.code: the catalog entry has (absent), the log has string",
        "comment: the catalog entry has 'All', the log has ''",
        "properties.new: the catalog entry has (absent), the log has '1'",
        "properties.team: the catalog entry has 'x', the log has (absent)",
    ]
    assert [result.version for result in bench.catalog.sync_entries([bench.model])] == [1]
    assert bench.differences() == []


def test_an_update_asserts_what_it_was_decided_by(bench):
    tag = bench.tag()
    update = {"updates": [{"action": "set-table-comment", "comment": "Mine"}]}
    identity = {"type": "assert-table-uuid", "uuid": tag["table-uuid"]}

    for requirements, status in (
        ([identity, {"type": "assert-etag", "etag": "0"}], 409),
        ([{"type": "assert-table-uuid", "uuid": str(uuid.uuid4())}], 409),
        ([], 400),
    ):
        with pytest.raises(ServerError) as caught:
            bench.client.update_table(bench.name, {**update, "requirements": requirements})
        assert caught.value.status == status
    assert bench.tag()["etag"] == tag["etag"]


def test_missing_objects_are_reported_as_missing(bench):
    nope = table(column(), name=f"{bench.name.catalog}.silver.nope")
    nowhere = table(column(), name=f"{bench.name.catalog}.gold.nope")

    state = bench.catalog.snapshot([nope, nowhere])

    assert [(table.exists, table.schema_exists) for table in state.tables.values()] == [(False, False), (False, True)]


def test_tables_are_listed(bench):
    assert bench.catalog.table_names(bench.name.catalog, "silver") == (bench.name,)
    assert bench.catalog.table_names(bench.name.catalog, "gold") == ()


def test_its_delta_api_is_detected(bench):
    assert bench.client.has_delta_api(bench.name.catalog)
