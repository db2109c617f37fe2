"""One session for all tests that need a JVM."""

from __future__ import annotations

import os
import sys

import pytest

from pytest_delta_schema.backends.local.catalog import LocalCatalog
from pytest_delta_schema.backends.local.session import catalog_conf, session_conf, start_session

OPTIMIZED = {"spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Xms1g -Xmn500m"}
"""The optimising compiler pays in a session of many minutes, which is a long one for the users of this plugin."""

INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""Nor does Spark compile its plans, which takes it a fifth of all the time where every table has a few rows. Tests of what
writes do to values have it compile them, as users do."""

CONNECT = {"spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": "0"}


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory):
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="session")
def local_session(warehouse):
    conf = {**catalog_conf(("dev", "prod"), warehouse), **session_conf(warehouse), **CONNECT, **OPTIMIZED}
    if not os.environ.get("DELTA_SCHEMA_TEST_CODEGEN"):
        conf |= INTERPRETED
    session = start_session(warehouse, conf, archive=False)
    yield session
    session.close(sys.stderr)


@pytest.fixture(scope="session")
def spark_catalog(local_session, warehouse):
    return LocalCatalog(local_session.spark, warehouse)


@pytest.fixture
def local(spark_catalog):
    """The local catalog, without the schema that the tests make."""
    yield spark_catalog
    for catalog in ("dev", "prod"):
        spark_catalog.drop_schema(catalog, "silver")


@pytest.fixture(scope="session")
def remote(local_session):
    """A session of Spark Connect, to a real server inside of the JVM that is there already."""
    from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415 - it loads pandas, which takes seconds

    jvm = local_session.spark._jvm
    service = getattr(jvm.org.apache.spark.sql.connect.service, "SparkConnectService$")
    server = getattr(service, "MODULE$")
    server.start(local_session.spark.sparkContext._jsc.sc())
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.localPort()}").getOrCreate()
    yield session
    session.stop()
    none = jvm.scala.Option.empty()
    server.stop(none, none)
