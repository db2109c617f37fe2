"""Three descriptions of one table drift apart and are brought together: the model, the Delta log, and the record.

The model is ours, the log is what writers have made of the table, and the record is what the catalog tells readers that
never look at the log. The server is the toolkit's double of a Unity Catalog server; the log is a real one.
"""

import pytest
from deltalake import DeltaTable, Field, Schema
from deltalake.schema import PrimitiveType
from pyspark.sql.types import StringType
from shop.models import orders

from pytest_delta_schema import Column, DriftError, Table, UnityCatalog, assert_no_drift
from pytest_delta_schema.backends.unity import UnityClient
from pytest_delta_schema.plan.entry_differences import entry_differences
from pytest_delta_schema.testing.unity import UnityDouble

TEXT = PrimitiveType("string")


@pytest.fixture
def lake(tmp_path):
    """The table as the pipeline has made it: an external table at a place of its own."""
    key = Field("id", PrimitiveType("long"), nullable=False, metadata={"comment": "Order"})
    status = Field("status", TEXT, metadata={"comment": "Where it is"})
    place = tmp_path / "dev" / "silver" / "orders"
    DeltaTable.create(place, Schema([key, status]), description="Orders of the shop")
    return tmp_path


@pytest.fixture
def catalog(lake):
    """The catalog, in which the connector has registered the table: with its place, and without a column."""
    with UnityDouble(lake) as server:
        client = UnityClient(server.uri)
        yield UnityCatalog(client)
        client.close()


def stale(catalog, table=orders):
    """Say in what the record is behind the log."""
    state = catalog.snapshot([table])
    return [str(each) for each in entry_differences(state.records[table.name], state.logs[table.name])]


def test_the_three_drift_apart_and_are_brought_together(catalog, lake):
    # Model and log are one. Whoever asks the catalog sees no column at all.
    assert_no_drift(orders, catalog)
    assert stale(catalog) == ["columns: the catalog entry has none, the log has 2"]

    # pytest --delta-sync-metadata
    (synced,) = catalog.sync_entries([orders])
    assert synced.version == 0
    assert stale(catalog) == []

    # A colleague adds a column by hand. Now all three say something else.
    DeltaTable(lake / "dev" / "silver" / "orders").alter.add_columns([Field("coupon", TEXT)])
    with pytest.raises(DriftError, match=r"dev.silver.orders has drifted, 1 change: columns.coupon"):
        assert_no_drift(orders, catalog)
    assert stale(catalog) == ["columns.coupon: the catalog entry has (absent), the log has string"]

    # The column is wanted: the model takes it, and the record follows the log.
    wanted = Table(*orders.name, [*orders.columns, Column("coupon", StringType())], comment=orders.comment)
    catalog.sync_entries([wanted])
    assert_no_drift(wanted, catalog)
    assert stale(catalog, wanted) == []
