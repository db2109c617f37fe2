"""The local catalog passes the suite of all backends, parquet included."""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.spark.sessions import OPEN_SOURCE_DELTA
from pytest_delta_schema.testing import CatalogSuite, SparkDataAccess
from support.covering import COVERING, played_on
from support.installed import INSTALLED

pytestmark = pytest.mark.spark


class TestLocal(CatalogSuite):
    """Real Spark, real Delta, and transactions through py4j."""

    data_access = SparkDataAccess(converts=True)
    scenarios = ("conversion/", *played_on(INSTALLED.limit(OPEN_SOURCE_DELTA))) if COVERING else ()

    @pytest.fixture
    def catalog(self, local, request):
        yield local
        if "conversion" not in request.node.name:
            assert local.left_to_spark == set()
