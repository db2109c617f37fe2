"""The Unity Catalog backend with Spark: the server's double keeps records, and real Delta keeps the tables."""

from __future__ import annotations

import pytest

from pytest_delta_schema.catalogs.unity.catalog import UnityCatalog
from pytest_delta_schema.catalogs.unity.client import UnityClient
from pytest_delta_schema.testing import CatalogSuite
from pytest_delta_schema.testing.unity import UnityDouble


@pytest.fixture(scope="module")
def double(warehouse):
    """A server that takes notice of the tables in the warehouse, as if its connector had made them."""
    with UnityDouble(warehouse) as server:
        yield server


@pytest.fixture
def unity(local, double):
    for catalog in ("dev", "prod"):
        local.spark.conf.set(f"spark.sql.catalog.{catalog}.uri", double.uri)
        double.records.catalogs.setdefault(catalog, {"name": catalog})
    client = UnityClient(double.uri)
    yield UnityCatalog(client, lambda: local.spark, read_threads=2)
    client.close()


class TestUnity(CatalogSuite):
    """Read by REST and deltalake, changed by Spark; after each apply the record is level with the log."""

    @pytest.fixture
    def catalog(self, unity):
        return unity
