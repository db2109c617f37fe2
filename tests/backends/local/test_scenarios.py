"""The local catalog passes the suite of all backends, parquet included."""

from __future__ import annotations

import pytest

from pytest_delta_schema.testing import CatalogSuite, SparkDataAccess

pytestmark = pytest.mark.spark


class TestLocal(CatalogSuite):
    """Real Spark, real Delta, and transactions through py4j."""

    data_access = SparkDataAccess(converts=True)

    @pytest.fixture
    def catalog(self, local):
        return local
