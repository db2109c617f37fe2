"""Fixtures of all tests: projects that an inner pytest runs, and the Spark session that the tests of a process share."""

from __future__ import annotations

import gc
import signal
import sys

import pytest
from hypothesis import settings

from pytest_delta_schema.backends.local.launch import cache_folder
from support.plugin_project import Project
from support.snapshots import TextSnapshot

# The time of an example depends on the machine, and no test is about it.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

# A shell starts jobs in the background with SIGINT ignored, and every program that they start ignores it as well.
signal.signal(signal.SIGINT, signal.default_int_handler)

# pytester gives every test a home folder; downloaded jars and compiled classes stay in the cache of the machine.
CACHE = cache_folder().parent

OPTIMIZED = {
    "spark.driver.extraJavaOptions": (
        "-XX:+UseSerialGC -Xms1g -Xmn500m -XX:Tier4InvocationThreshold=25000 -XX:Tier4MinInvocationThreshold=3000"
        " -XX:Tier4CompileThreshold=75000 -XX:Tier4BackEdgeThreshold=200000"
    ),
}
"""The optimising compiler pays off in a session of many minutes, which is longer than those of users, but only for what
runs five times as often as by default: it took a third of the JVM's CPU time."""

INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""Where tables have a few rows, compiling plans takes Spark a fifth of the time, and planning again while they run an eighth."""

CONNECT = {"spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": "0"}


def pytest_collection_modifyitems(items):
    unmarked = [item.nodeid for item in items if _needs_jvm(item) and item.get_closest_marker("spark") is None]
    if unmarked:
        raise pytest.UsageError(f"these tests need a JVM and are not marked with spark: {', '.join(unmarked)}")


def pytest_collection_finish():
    # Each inner run of pytest ends with a collection of garbage, which would look at all collected tests and modules.
    gc.collect()
    gc.freeze()


def _needs_jvm(item):
    return "local_session" in getattr(item, "fixturenames", ()) or item.get_closest_marker("own_jvm") is not None


@pytest.fixture
def reviewed(snapshot):
    """A text in a file, which ``--snapshot-update`` writes and somebody reviews."""
    return snapshot.use_extension(TextSnapshot)


@pytest.fixture
def project(pytester, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(CACHE))
    # An inner run is no worker, even if the outer one is. Processes are not traced: those of a project run the same code
    # again, and tracing them takes a fifth of the time of all tests without a JVM.
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "CI", "GITHUB_ACTIONS", "COVERAGE_PROCESS_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    # Python takes a module that changes within a second, and keeps its length, for the one that it has compiled.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return Project(pytester)


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory):
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="session")
def local_session(warehouse):
    from pytest_delta_schema.backends.local import session_conf  # noqa: PLC0415
    from pytest_delta_schema.backends.local.start import catalog_conf, start_session  # noqa: PLC0415

    conf = {**catalog_conf(("dev", "prod"), warehouse), **session_conf(warehouse), **CONNECT, **OPTIMIZED}
    session = start_session(warehouse, {**conf, **INTERPRETED}, archive=False)
    yield session
    session.close()


@pytest.fixture(scope="module")
def compiled_plans(local_session):
    """Let Spark compile its plans, as it does for users."""
    conf = local_session.spark.conf
    conf.set("spark.sql.codegen.wholeStage", "true")
    conf.set("spark.sql.codegen.factoryMode", "FALLBACK")
    conf.set("spark.sql.adaptive.enabled", "true")
    yield
    for key, value in INTERPRETED.items():
        conf.set(key, value)


@pytest.fixture(scope="session")
def spark_catalog(local_session, warehouse):
    from support.catalogs import AgreeingCatalog  # noqa: PLC0415

    return AgreeingCatalog(local_session.spark, warehouse)


@pytest.fixture
def local(spark_catalog):
    """The local catalog, without the schema that the tests make."""
    spark_catalog.left_to_spark.clear()
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
