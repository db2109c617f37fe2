"""The Unity Catalog backend with Spark: the server's double keeps entries, and real Delta keeps the tables."""

from __future__ import annotations

import os

import pytest

from pytest_delta_schema import ApplyError, Column, Orchestrator, UnityCatalog, assert_table_equals, state_text
from pytest_delta_schema.backends.unity import UnityClient
from pytest_delta_schema.plan import entry_differences
from pytest_delta_schema.test_kit.effects import effect_on, versions_of
from pytest_delta_schema.testing.scenario import BOTH, INT, LONG, TEXT, field, struct
from pytest_delta_schema.testing.unity import UnityDouble
from support.covering import played_on
from support.models import NAME, column, table
from support.reviewed import ReviewedSuite
from support.unity import Registering

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def double(warehouse):
    """A server that takes notice of the tables in the warehouse, as if its connector had made them."""
    with UnityDouble(warehouse) as server:
        yield server


@pytest.fixture
def unity(local, double):
    for catalog in ("dev", "prod"):
        local.spark.conf.set(f"spark.sql.catalog.{catalog}.uri", double.uri)
        double.metastore.catalogs.setdefault(catalog, {"name": catalog})
    client = UnityClient(double.uri)
    yield UnityCatalog(client, session=lambda: local.spark, read_threads=2)
    client.close()


CATALOGS = ("dev", "prod")
REAL = os.environ.get("DELTA_SCHEMA_TEST_UNITY_URI", "")


@pytest.fixture(scope="module")
def registering(local_session, warehouse):
    """The backend over a real server, if one is named, or a double that knows nothing of the folder."""
    with UnityDouble() as double:
        token = os.environ.get("UNITY_CATALOG_TOKEN") if REAL else None
        made = Registering(REAL or double.uri, token, local_session.spark, warehouse)
        made.make_catalogs(CATALOGS)
        yield made
        made.drop_catalogs(CATALOGS)


class TestUnity(ReviewedSuite):
    """Read by REST and deltalake, changed by Spark; after each apply the catalog entry equals the log."""

    scenarios = played_on(UnityCatalog.capabilities)

    @pytest.fixture
    def catalog(self, registering, local):
        for name in CATALOGS:
            local.spark.conf.set(f"spark.sql.catalog.{name}.uri", registering.client.uri)
        yield registering
        for name in CATALOGS:
            registering.forget(name, "silver")


def level(unity, model):
    state = unity.snapshot([model])
    return entry_differences(state.entries[model.name], state.logs[model.name]) == ()


def test_an_apply_syncs_the_entry(unity, double):
    line = Orchestrator.over(unity)
    line.sync_tables([table(column(), column("old", TEXT), comment="First", table_properties=BOTH)])
    created = double.metastore.tables[str(NAME)]["table_id"]

    wanted = table(
        column(is_nullable=False),
        Column("new", TEXT, comment="Renamed", renamed_from="old"),
        column("extra", INT),
        comment="Second",
        table_properties=BOTH,
    )
    line.sync_tables([wanted])

    assert level(unity, wanted)
    assert double.metastore.tables[str(NAME)]["table_id"] == created
    assert [column["name"] for column in double.metastore.tables[str(NAME)]["columns"]] == ["id", "new", "extra"]
    assert unity.version(NAME) == 5


def test_what_the_connector_refuses_is_a_transaction(unity):
    line = Orchestrator.over(unity)
    line.sync_tables([table(column(), column("a", struct(field("x"), field("y"))), table_properties=BOTH)])
    unity.insert(NAME, [{"id": 1, "a": {"x": 2, "y": 3}}])

    inner = struct(field("z", renamed_from="x"), field("y"))
    line.sync_tables([table(Column("key", LONG, renamed_from="id"), Column("a", inner), table_properties=BOTH)])

    history = unity.spark.sql(f"DESCRIBE HISTORY {NAME} LIMIT 1").collect()
    assert history[0].operation == "RENAME COLUMN"
    assert unity.spark.table(str(NAME)).collect()[0].asDict(recursive=True) == {"key": 1, "a": {"z": 2, "y": 3}}

    unity.append_rows(NAME, [{"key": 2, "a": None}])
    assert unity.data_checks(NAME).count_rows().rows == 2


def test_what_a_job_does_to_an_external_table_is_read_through_spark(unity):
    model = table(column(), column("a", TEXT), table_properties=BOTH)
    Orchestrator.over(unity).sync_tables([model])

    with effect_on(model, unity) as effect:
        unity.insert(NAME, [{"id": 1, "a": "x"}])

    assert (effect.operations, effect.rows_added, effect.kept_contract(model)) == (("WRITE",), 1, True)
    assert [commit.version for commit in versions_of(model, unity)] == [0, 1]
    assert_table_equals(model, [{"id": 1, "a": "x"}], catalog=unity)
    assert state_text(model, version=0, catalog=unity) == state_text(model, catalog=unity)


def test_a_session_of_another_server_is_refused_before_anything_runs(unity, local):
    local.spark.conf.set("spark.sql.catalog.dev.uri", "https://elsewhere.example.com")

    with pytest.raises(ApplyError, match=r"is not the one at .* \(spark.sql.catalog.dev.uri is https://elsewhere"):
        Orchestrator.over(unity).sync_tables([table(column())])


@pytest.fixture
def manage(double, monkeypatch):
    """Lets the catalog commit to a table, so the files of its log cannot be read without it."""

    def change():
        entry = double.metastore.tables[str(NAME)]
        monkeypatch.setitem(entry, "table_type", "MANAGED")
        monkeypatch.setitem(entry, "storage_location", "file:///nowhere/orders")
        monkeypatch.setitem(entry["properties"], "delta.feature.catalogManaged", "supported")
        return entry

    return change


def test_managed_tables_of_old_servers_are_read_by_spark(unity, double, manage, monkeypatch):
    Orchestrator.over(unity).sync_tables([table(column(comment="Key"))])
    manage()
    monkeypatch.setattr(double, "_delta_api", False)
    unity.client._delta_api.clear()

    observed = unity.snapshot([table(column())]).tables[NAME]

    assert (observed.version, unity.version(NAME)) == (0, 0)
    assert [column.comment for column in observed.columns] == ["Key"]


def test_the_entry_of_a_managed_table_is_compared_with_what_spark_reads(unity, manage):
    model = table(
        column(comment="Key"),
        column("twice", LONG, generated_as="id * 2"),
        comment="Orders",
        tags={"a": "b"},
    )
    Orchestrator.over(unity).sync_tables([model])
    entry = manage()
    before = unity.snapshot([model])
    level = entry_differences(before.entries[NAME], before.logs[NAME])

    entry["comment"] = "Lies"
    entry["columns"][0]["comment"] = ""
    state = unity.snapshot([model])

    assert level == ()
    assert Orchestrator.over(unity).plan_tables([model]).is_empty
    assert list(map(str, entry_differences(state.entries[NAME], state.logs[NAME]))) == [
        "columns.id.comment: the catalog entry has '', the log has 'Key'",
        "comment: the catalog entry has 'Lies', the log has 'Orders'",
    ]
