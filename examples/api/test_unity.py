"""Entries of a Unity Catalog server; the double is one for tests, and the table has a real Delta log."""

import pytest
from changes import ID, table
from deltalake import DeltaTable, Field, Schema
from deltalake.schema import PrimitiveType

from models import orders
from pytest_delta_schema import UnityCatalog
from pytest_delta_schema.backends.unity import Secret, Storage, UnityClient
from pytest_delta_schema.diagnostics.errors import MetadataSyncError
from pytest_delta_schema.execute import MetadataSync, SyncsEntries
from pytest_delta_schema.plan import EntryDifference, entry_differences
from pytest_delta_schema.state import EntryColumn, EntryState, LogFacts
from pytest_delta_schema.testing.unity import UnityDouble

MODEL = table(ID)


@pytest.fixture
def server(tmp_path):
    columns = Schema([Field("id", PrimitiveType("long"), nullable=False)])
    DeltaTable.create(tmp_path / "dev" / "silver" / "orders", columns)
    with UnityDouble(tmp_path) as server:
        yield server


@pytest.fixture
def client(server):
    client = UnityClient(server.uri)
    yield client
    client.close()


@pytest.fixture
def catalog(client):
    return UnityCatalog(client)


def test_unity_client(server):
    client = UnityClient(server.uri, token=Secret("my-secret-token"), timeout=10)

    assert client.schemas("dev") == ("silver",)
    assert client.table(orders.name)["table_type"] == "EXTERNAL"
    client.close()


def test_unity_double(server, catalog):
    assert isinstance(server, UnityDouble)

    server.hidden.add("dev.silver.orders")  # from the principal of the test

    assert catalog.table_names("dev", "silver") == ()


def test_secret():
    token = Secret("my-secret-token")

    assert str(token) == "***"
    assert token.scrub("Authorization: Bearer my-secret-token") == "Authorization: Bearer ***"


def test_storage(client):
    store = Storage(prefix="s3://lake/bronze", endpoint="http://localhost:9000", path_style=True)

    assert store.bucket == "lake"
    assert UnityCatalog(client, stores=[store]).table_names("dev", "silver") == (orders.name,)


def test_entry_state(catalog):
    entry = catalog.snapshot([MODEL]).entries[orders.name]

    assert isinstance(entry, EntryState)
    assert (entry.table_type, entry.data_format, entry.columns) == ("EXTERNAL", "DELTA", ())


def test_entry_column(catalog):
    catalog.sync_entries([MODEL])

    (column,) = catalog.snapshot([MODEL]).entries[orders.name].columns

    assert isinstance(column, EntryColumn)
    assert (column.name, column.text, column.type_name, column.is_nullable) == ("id", "bigint", "LONG", False)


def test_log_of_an_entry(catalog):
    log = catalog.snapshot([MODEL]).logs[orders.name]

    assert isinstance(log, LogFacts)
    assert ([column.name for column in log.columns], log.version) == (["id"], 0)


def test_syncs_entries(catalog):
    assert isinstance(catalog, SyncsEntries)

    assert len(catalog.sync_entries([MODEL])) == 1
    assert catalog.sync_entries([MODEL]) == ()  # nothing differs any more


def test_metadata_sync(catalog):
    (synced,) = catalog.sync_entries([MODEL])

    assert isinstance(synced, MetadataSync)
    assert (synced.table, synced.version, synced.is_new) == ("dev.silver.orders", 0, False)


def test_entry_differences(catalog):
    state = catalog.snapshot([MODEL])

    (difference,) = entry_differences(state.entries[orders.name], state.logs[orders.name])

    assert isinstance(difference, EntryDifference)
    assert str(difference) == "columns: the catalog entry has none, the log has 1"


def test_metadata_sync_error(catalog, tmp_path):
    (tmp_path / "dev" / "silver" / "orders" / "_delta_log" / "00000000000000000000.json").write_text("{")

    with pytest.raises(MetadataSyncError) as caught:
        catalog.sync_entries([MODEL])

    assert [fault.table for fault in caught.value.diagnostics] == ["dev.silver.orders"]
