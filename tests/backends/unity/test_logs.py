"""Managed tables: whether the log decides, logs of newer clients, and which reads need a session."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Orchestrator, Settings
from pytest_delta_schema.diagnostics.errors import MetadataSyncError
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.checks import check_entry
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.testing.unity_tables import stored_field
from support.logs import commit, delta_log, field, metadata, protocol
from support.models import NAME, column, table
from support.unity import MODEL, lake

FEATURE = {"delta.feature.catalogManaged": "supported"}


@pytest.fixture
def unity(tmp_path):
    with lake(tmp_path) as server:
        yield server


def register(unity, **properties):
    """Let the entry be that of a managed table whose column is NOT NULL."""
    unity.state()
    (column,) = map(stored_field, [field("id", nullable=False)], [0])
    unity.entry().update(table_type="MANAGED", comment="Managed table", columns=[column], properties=dict(properties))


def managed_by_catalog(unity, latest=0, comment="Managed table"):
    """Make a table to whose log the catalog commits."""
    folder = unity.folder / "dev" / "silver" / "orders"
    commit(folder, 0, protocol("catalogManaged"), metadata(field("id", nullable=False), comment=comment))
    register(unity, **FEATURE)
    unity.entry()["properties"]["delta.lastUpdateVersion"] = str(latest)
    unity.server.metastore.latest["dev.silver.orders"] = latest


def outcomes(unity, model):
    gate = Gate(unity.catalog, [model], settings=Settings())
    return gate.drift(model), check_entry(model, gate)


def test_an_ordinary_log_decides_whatever_the_entry_claims_and_the_entry_is_synchronised(unity):
    delta_log(unity.folder / "dev" / "silver" / "orders", field("id"))
    register(unity, key1="value1")

    state = unity.state()

    assert [column.is_nullable for column in state.tables[NAME].columns] == [True]
    assert unity.differences() == [
        "columns.id.nullability: the catalog entry has not null, the log has nullable",
        "comment: the catalog entry has 'Managed table', the log has ''",
        "properties.key1: the catalog entry has 'value1', the log has (absent)",
    ]
    assert not any("/delta/v1" in path for path in unity.calls("GET"))
    wanted = table(column(is_nullable=False))
    assert [outcome.status for outcome in outcomes(unity, wanted)] == [Status.DRIFTED, Status.STALE]
    (done,) = unity.catalog.sync_entries([MODEL])
    assert len(done.differences) == 3
    assert (unity.differences(), unity.catalog.sync_entries([MODEL])) == ([], ())


@pytest.mark.parametrize("on_read", [True, False], ids=["sync_on_read", "apply"])
def test_an_ordinary_log_of_a_managed_table_is_synchronised_on_each_read_and_by_each_apply(tmp_path, on_read):
    with lake(tmp_path, sync_on_read=on_read) as unity:
        folder = delta_log(unity.folder / "dev" / "silver" / "orders", field("id"))
        version = {"delta.lastUpdateVersion": "0"}
        register(unity, **version)
        commit(folder, 1, metadata(field("id"), comment="Orders"))
        model = table(column(), comment="Orders")

        if not on_read:
            applied = Gate(unity.catalog, [model], settings=Settings()).apply(model)
            assert (applied.status, applied.statements) == (Status.SYNCED, ())

        assert [outcome.status for outcome in outcomes(unity, model)] == [Status.IN_SYNC, Status.IN_SYNC]
        assert unity.entry()["properties"] == version


def test_without_a_delta_api_an_entry_is_never_deleted_and_a_log_to_which_the_catalog_commits_needs_spark(tmp_path):
    with lake(tmp_path, delta_api=False, sync_recreate=True) as unity:
        delta_log(unity.folder / "dev" / "silver" / "orders", field("id"))
        register(unity)

        with pytest.raises(MetadataSyncError) as caught:
            unity.catalog.sync_entries([MODEL])

        assert unity.calls("DELETE") == []
        assert str(caught.value).endswith(
            "the server has no Delta API, and the entry of a managed table is never deleted, because its files would be"
            " deleted with it; upgrade the server [DS603 FailedMetadataSync]",
        )
        managed_by_catalog(unity)
        assert str(unity.state().problems[NAME]) == (
            f"dev.silver.orders: Spark runs the statements for the catalogs at {unity.server.uri}, and no session is"
            " configured; override the fixture delta_spark, or give UnityCatalog a session [DS501 UnreachableCatalog]"
        )


def test_a_published_log_is_read_and_compared_without_spark(unity):
    managed_by_catalog(unity, comment="Orders")
    unity.server.metastore.commits["dev.silver.orders"] = [{"version": 0}]

    state = unity.state()

    assert state.tables[NAME].table_comment == "Orders"
    assert unity.differences() == ["comment: the catalog entry has 'Managed table', the log has 'Orders'"]
    assert outcomes(unity, table(column(is_nullable=False), comment="Orders"))[1].status is Status.BLOCKED
    with pytest.raises(MetadataSyncError, match="the catalog commits to that log, so only the catalog may write"):
        unity.catalog.sync_entries([MODEL])
    assert unity.calls("POST") == []


def test_gate_and_library_fail_an_apply_that_leaves_the_entry_stale(unity):
    managed_by_catalog(unity, comment="Orders")
    model = table(column(is_nullable=False), comment="Orders")

    outcome = Gate(unity.catalog, [model], settings=Settings()).apply(model)
    with pytest.raises(MetadataSyncError) as caught:
        Orchestrator.over(unity.catalog).sync_tables([model])

    assert outcome.status is Status.FAILED
    assert outcome.failure == str(caught.value)
    assert str(caught.value) == (
        "dev.silver.orders: its catalog entry differs from its log (comment: the catalog entry has 'Managed table', the"
        " log has 'Orders'), and the catalog commits to that log, so only the catalog may write the entry; a"
        " RESTORE through Spark writes both [DS603 FailedMetadataSync]"
    )


def test_commits_in_the_catalog_are_read_by_the_delta_api_and_what_is_not_compared_is_noted(unity):
    managed_by_catalog(unity, latest=1, comment="Older")
    unity.server.metastore.commits["dev.silver.orders"] = [{"version": 1}]

    state = unity.state()

    assert (state.tables[NAME].table_comment, state.tables[NAME].version) == ("Managed table", 1)
    assert state.logs == {}
    drift, compared = outcomes(unity, table(column(is_nullable=False), comment="Managed table"))
    assert (drift.status, compared.status) == (Status.IN_SYNC, Status.IN_SYNC)
    assert [note.message for note in compared.notes] == [
        "its newest commits are in the catalog only, so its catalog entry and its log are not compared",
    ]
    (done,) = unity.catalog.sync_entries([MODEL])
    assert (done.differences, [note.code for note in done.notes]) == ((), ["DS708"])


def test_a_log_that_cannot_be_read_is_only_replaced_by_the_entry_if_the_catalog_commits_to_it(unity):
    managed_by_catalog(unity)
    unity.server.metastore._store = None
    unity.entry()["storage_location"] = "file:///nowhere/managed"

    assert unity.state().tables[NAME].table_comment == "Managed table"

    del unity.entry()["properties"]["delta.feature.catalogManaged"]
    assert "there is no Delta log at file:///nowhere/managed" in str(unity.state().problems[NAME])
