"""When a session has certainly the settings of this package, and what is known of it before it starts."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace

import pytest

from pytest_delta_schema.backends.local import session
from pytest_delta_schema.backends.local.session import has_own_settings, installed_versions
from pytest_delta_schema.backends.spark.versions import SparkVersions

NEWEST = {"pyspark": "4.2.0", "delta-spark": "4.4.0"}


@pytest.fixture(autouse=True)
def spark_folder(tmp_path, monkeypatch):
    """Pretend that pyspark is installed in a folder, and that no session is active."""
    folder = tmp_path / "pyspark"
    folder.mkdir()
    monkeypatch.setattr(session, "active_spark", lambda: None)
    monkeypatch.setattr(session, "installed", lambda: NEWEST)
    spec = SimpleNamespace(origin=str(folder / "__init__.py"))
    monkeypatch.setattr(
        session, "find_spec", lambda name: spec if name == "pyspark" else importlib.util.find_spec(name)
    )
    return folder


def test_a_new_session_has_the_settings_of_this_package_unless_something_gives_it_others(spark_folder, monkeypatch):
    assert has_own_settings({})
    assert has_own_settings({"SPARK_HOME": str(spark_folder), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_REMOTE": ""})
    for environment in (
        {"SPARK_HOME": "/opt/spark"},
        {"SPARK_CONF_DIR": "/etc/spark"},
        {"SPARK_REMOTE": "sc://localhost"},
        {"SPARK_CONNECT_MODE_ENABLED": "1"},
        {"PYSPARK_SUBMIT_ARGS": "--conf spark.sql.catalog.dev=x pyspark-shell"},
        {"PYSPARK_GATEWAY_PORT": "5000"},
        {"DATABRICKS_RUNTIME_VERSION": "17.3"},
    ):
        assert not has_own_settings(environment), environment
    (spark_folder / "conf").mkdir()
    for name in ("spark-defaults.conf", "spark-env.sh"):
        path = spark_folder / "conf" / name
        path.write_text("spark.sql.catalog.dev org.example.Catalog")
        assert not has_own_settings({}), name
        path.unlink()
    for key, value in (
        ("active_spark", lambda: "a session"),
        ("find_spec", lambda _: SimpleNamespace(origin=None)),
        ("find_spec", lambda _: None),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(session, key, value)
            assert not has_own_settings({}), key


def test_logs_are_read_as_the_newest_pair_reads_them_where_no_session_can_start(monkeypatch):
    for versions in (
        {"pyspark": "4.2.0"},
        {"pyspark": "4.3.0", "delta-spark": "4.4.0"},
        {"pyspark-client": "4.2.0"},
        {"databricks-connect": "17.3"},
        {"pyspark": "4.2.0", "delta-spark": "3.3.3"},
    ):
        monkeypatch.setattr(session, "installed", lambda versions=versions: versions)

        known = installed_versions(never)

        assert has_own_settings({})
        assert (known.spark, known.delta) == ((4, 2), (4, 4)), versions


def never():
    raise AssertionError("a session was started")


def test_the_properties_of_another_delta_are_asked_for_when_they_matter(monkeypatch):
    monkeypatch.setattr(session, "installed", lambda: {"pyspark": "3.5.9", "delta-spark": "3.3.3"})
    started = []
    versions = installed_versions(lambda: started.append(1) or frozenset({"delta.targetfilesize"}))

    assert (versions.spark, versions.delta) == ((3, 5), (3, 3))
    assert not versions.emulates_property("team", "true")
    assert started == []
    assert not versions.emulates_property("delta.targetFileSize", "true")
    assert versions.emulates_property("delta.tuneFileSizesForRewrites", "true")
    assert (sorted(versions.properties), len(versions.properties), started) == (["delta.targetfilesize"], 1, [1])


@pytest.mark.spark
def test_the_installed_versions_are_those_of_the_session(local, monkeypatch):
    monkeypatch.undo()
    running = SparkVersions.of(local.spark, local.bridge.gateway)

    installed = installed_versions(lambda: running.properties)

    assert (installed.spark, installed.delta, frozenset(installed.properties)) == (
        running.spark,
        running.delta,
        running.properties,
    )
