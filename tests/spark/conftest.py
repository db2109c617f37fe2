"""One session for all tests that need a JVM."""

from __future__ import annotations

import sys

import pytest

from pytest_delta_schema.catalogs.spark.catalog import SparkCatalog
from pytest_delta_schema.catalogs.spark.session import session_conf, start_session


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory):
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="session")
def local_session(warehouse):
    session = start_session(session_conf(warehouse), warehouse, archive=True, stream=sys.stderr)
    yield session
    session.close(sys.stderr)


@pytest.fixture(scope="session")
def spark_catalog(local_session, warehouse):
    return SparkCatalog(local_session.spark, warehouse)


@pytest.fixture
def local(spark_catalog):
    """The local catalog, without the schema that the tests make."""
    yield spark_catalog
    for catalog in ("dev", "prod"):
        spark_catalog.drop_schema(catalog, "silver")
