"""A model, a Delta log and a catalog entry of one table drift apart and are synchronised again.

The model is the declaration, the log is what writers have made of the table, and the catalog entry is what the catalog
shows to readers that never open the log. The server is the toolkit's double of a Unity Catalog server; the log is real.
"""

import pytest
from deltalake import DeltaTable, Field, Schema
from deltalake.schema import PrimitiveType
from pyspark.sql.types import StringType
from shop.models import orders

from pytest_delta_schema import Column, DriftError, Table, UnityCatalog, assert_no_drift
from pytest_delta_schema.backends.unity import UnityClient
from pytest_delta_schema.plan import entry_differences
from pytest_delta_schema.testing.unity import UnityDouble

TEXT = PrimitiveType("string")


@pytest.fixture
def lake(tmp_path):
    """The table as the pipeline has made it: an external table outside of the catalog's storage."""
    key = Field("id", PrimitiveType("long"), nullable=False, metadata={"comment": "Order"})
    status = Field("status", TEXT, metadata={"comment": "Where it is"})
    location = tmp_path / "dev" / "silver" / "orders"
    DeltaTable.create(location, Schema([key, status]), description="Orders of the shop")
    return tmp_path


@pytest.fixture
def catalog(lake):
    """The catalog, in which the Spark connector has registered the table: its location, and no columns."""
    with UnityDouble(lake) as server:
        client = UnityClient(server.uri)
        yield UnityCatalog(client)
        client.close()


def stale(catalog, table=orders):
    """Return the differences between the catalog entry and the log."""
    state = catalog.snapshot([table])
    return [str(difference) for difference in entry_differences(state.entries[table.name], state.logs[table.name])]


def test_model_log_and_entry_drift_apart_and_are_synchronised(catalog, lake):
    # Model and log agree. The catalog entry shows no column.
    assert_no_drift(orders, catalog=catalog)
    assert stale(catalog) == ["columns: the catalog entry has none, the log has 2"]

    # pytest --delta-sync-metadata
    (synced,) = catalog.sync_entries([orders])
    assert synced.version == 0
    assert stale(catalog) == []

    # A colleague adds a column by hand. Now model, log and entry differ.
    DeltaTable(lake / "dev" / "silver" / "orders").alter.add_columns([Field("coupon", TEXT)])
    with pytest.raises(DriftError, match=r"dev.silver.orders has drifted, 1 change: columns.coupon"):
        assert_no_drift(orders, catalog=catalog)
    assert stale(catalog) == ["columns.coupon: the catalog entry has (absent), the log has string"]

    # The column is wanted: the model declares it, and the entry is synchronised with the log.
    wanted = Table(*orders.name, [*orders.columns, Column("coupon", StringType())], comment=orders.comment)
    catalog.sync_entries([wanted])
    assert_no_drift(wanted, catalog=catalog)
    assert stale(catalog, wanted) == []
