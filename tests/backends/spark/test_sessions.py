"""Sessions that a project provides: those without Delta Lake are refused, with the lines to add."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pyspark.errors import PySparkException

from pytest_delta_schema.backends.spark import sessions
from pytest_delta_schema.backends.spark.sessions import require_delta, require_jvm
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError

EXTENSION = {"spark.sql.extensions": "a.b.Other,io.delta.sql.DeltaSparkSessionExtension"}
CATALOG = {"spark.sql.catalog.spark_catalog": "io.unitycatalog.spark.UCSingleCatalog"}
EXTENSION_LINE = '    builder = builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")'
CATALOG_LINE = (
    '    builder = builder.config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")'
)
JARS_LINE = "    builder = delta.configure_spark_with_delta_pip(builder)"
NO_EXTENSION = "spark.sql.extensions does not name Delta's extension"
NO_CATALOG = "spark.sql.catalog.spark_catalog is not set"
NO_JARS = "Delta's jars are not on its class path"


class Classic:
    """A session that shows its settings."""

    def __init__(self, **settings):
        self.settings = {"spark.app.name": "shop-tests", **settings}
        self.conf = SimpleNamespace(get=self.get)

    def get(self, key, default):
        return self.settings.get(key, default)


class Remote(Classic):
    """The same, over Spark Connect."""

    __module__ = "pyspark.sql.connect.session"


class Refusal(PySparkException):
    """An error of a server that shows no settings."""

    def getCondition(self):  # noqa: N802 - as in pyspark
        return "CONFIG_NOT_AVAILABLE"


class Silent(Remote):
    """A session whose server refuses to show settings."""

    __module__ = "pyspark.sql.connect.session"

    def get(self, key, _default):
        raise Refusal(key)


@pytest.fixture
def with_jars(monkeypatch):
    """Let the class path of classic sessions have Delta's jars, or not."""
    monkeypatch.delenv("DATABRICKS_RUNTIME_VERSION", raising=False)

    def set_version(version):
        monkeypatch.setattr(sessions, "Gateway", lambda spark: spark)
        monkeypatch.setattr(sessions, "delta_version", lambda _: version)

    return set_version


def test_a_session_without_delta_is_refused_with_the_lines_to_add(with_jars):
    own, of_server = "the Spark session shop-tests", "the server of this Spark session"
    for spark, version, whose, faults, lines in (
        (Classic(**CATALOG), (4, 4), own, [NO_EXTENSION], [EXTENSION_LINE]),
        (Classic(**EXTENSION), (4, 4), own, [NO_CATALOG], [CATALOG_LINE]),
        (Classic(**EXTENSION, **CATALOG), None, own, [NO_JARS], [JARS_LINE]),
        (Classic(), None, own, [NO_EXTENSION, NO_CATALOG, NO_JARS], [EXTENSION_LINE, CATALOG_LINE, JARS_LINE]),
        (Remote(), None, of_server, [NO_EXTENSION, NO_CATALOG], [EXTENSION_LINE, CATALOG_LINE]),
    ):
        with_jars(version)

        with pytest.raises(BackendUnavailableError) as caught:
            require_delta(spark)

        assert str(caught.value).split("\n") == [
            f"{whose} has no Delta Lake: {', '.join(faults)}; add where it is created:",
            *lines,
        ]


def test_a_session_with_delta_is_taken(with_jars, monkeypatch):
    with_jars((4, 4))
    for spark in (
        Classic(**EXTENSION, **CATALOG),
        Remote(**EXTENSION, **CATALOG),
        Remote(**{"spark.databricks.clusterUsageTags.sparkVersion": "15.4.x-scala2.12"}),
        Silent(),
    ):
        require_delta(spark)
    with_jars(None)
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "15.4")
    require_delta(Classic())


def test_the_local_backend_needs_a_session_whose_jvm_can_be_reached():
    require_jvm(Classic())

    with pytest.raises(BackendUnavailableError) as caught:
        require_jvm(Remote())

    assert str(caught.value) == (
        "the Spark session is one of Spark Connect, and the local backend needs one whose JVM it can reach; choose the"
        ' session backend: --delta-backend=session, or backend = "session" in pyproject.toml'
    )
