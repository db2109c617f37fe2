"""Scenarios of the suite of all backends on tables to which a Unity Catalog server commits, with what it imposes on them.

Spark cannot commit through the double, so the tables are of the local warehouse; the properties that the server
imposes are defaults of the session, and the double is told of every commit, as the server would be.
"""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.unity.catalog import UnityCatalog
from pytest_delta_schema.testing import CatalogSuite
from pytest_delta_schema.testing.unity import UnityDouble
from pytest_delta_schema.testing.unity_tables import IMPOSED_PROPERTIES
from support.catalogs.spark_registered_unity import Registering
from support.covering import played_on

pytestmark = pytest.mark.spark

DEFAULTS = "spark.databricks.delta.properties.defaults."
CATALOGS = ("dev", "prod")


class Managed(Registering):
    """Lets the double take over every new table, and follow its log."""

    def __init__(self, double, spark, warehouse):
        super().__init__(double.uri, None, spark, warehouse)
        self._double = double

    def run(self, statement):
        super().run(statement)
        if str(statement.table) in self._double.metastore.tables:
            log = self._spark.catalog().log(statement.table).shown()
            self._double.metastore.commit(str(statement.table), log)


@pytest.fixture(scope="module")
def managed(local_session, warehouse):
    spark = local_session.spark
    with UnityDouble() as double:
        made = Managed(double, spark, warehouse)
        made.make_catalogs(CATALOGS)
        yield made
        made.drop_catalogs(CATALOGS)


@pytest.fixture
def _imposing(local):
    for key, value in IMPOSED_PROPERTIES.items():
        local.spark.conf.set(f"{DEFAULTS}{key.removeprefix('delta.')}", value)
    yield
    for key in IMPOSED_PROPERTIES:
        local.spark.conf.unset(f"{DEFAULTS}{key.removeprefix('delta.')}")


class TestUnityManaged(CatalogSuite):
    """Some of the scenarios, since they take real Delta longer with these properties; memory plays all of them."""

    imposed = IMPOSED_PROPERTIES
    scenarios = played_on(UnityCatalog.capabilities, "additive", "basics")

    @pytest.fixture
    def catalog(self, managed, local, _imposing):
        for name in CATALOGS:
            local.spark.conf.set(f"spark.sql.catalog.{name}.uri", managed.client.uri)
        yield managed
        for name in CATALOGS:
            managed.forget(name, "silver")
