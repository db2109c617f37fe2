"""A session in a kept JVM gives the JVM back only if it has left nothing in it; Spark and the JVM are doubles."""

from __future__ import annotations

import logging
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_delta_schema.backends.local import kept_session
from pytest_delta_schema.backends.local.kept_jvm import NotKeptError
from pytest_delta_schema.backends.local.kept_session import KeptSession, start_kept_session
from pytest_delta_schema.backends.local.launch import ClassArchive, LaunchResources
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.spark import compat
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError


class Jvm:
    """What a session does with its kept JVM, in order."""

    def __init__(
        self,
        monkeypatch,
        *,
        alive=True,
        replaced=False,
        stopped=False,
        calls=1,
        jars=False,
        streams=False,
        dies=False,
    ):
        self.done: list[str] = []
        self.dies = dies
        for name, value in (
            ("is_replaced", replaced),
            ("is_stopped", stopped),
            ("count_calls", calls),
            ("has_added_jars", jars),
        ):
            monkeypatch.setattr(kept_session, name, lambda _, value=value: value)
        monkeypatch.setattr(kept_session, "runs_streams", lambda _: streams)
        monkeypatch.setattr(kept_session, "stop_streams", lambda _: self.done.append("streams"))
        monkeypatch.setattr(kept_session, "leave_jvm", lambda _: self.done.append("leave"))
        monkeypatch.setattr(kept_session, "forget_session", lambda: self.done.append("forget"))
        self.lease: Any = SimpleNamespace(
            is_alive=alive,
            is_new=True,
            port=4040,
            secret=Secret("of py4j"),
            give_back=lambda: self.done.append("give back"),
            discard=lambda: self.done.append("discard"),
        )
        self.state: Any = SimpleNamespace(
            gateway=SimpleNamespace(jvm=None),
            restore=lambda: self.done.append("restore"),
        )
        self.spark: Any = SimpleNamespace(stop=self.stop, sparkContext=SimpleNamespace(_accumulatorServer=None))

    def stop(self):
        if self.dies:
            raise ConnectionRefusedError
        self.done.append("stop")

    def session(self, archive=None):
        return KeptSession(spark=self.spark, lease=self.lease, state=self.state, archive=archive)


STOPPED = ["streams", "stop", "restore"]


@pytest.mark.parametrize(
    ("left", "done"),
    [
        ({}, [*STOPPED, "leave", "give back"]),
        ({"jars": True}, [*STOPPED, "discard", "leave"]),
        ({"calls": 2}, [*STOPPED, "discard", "leave"]),
        ({"streams": True}, [*STOPPED, "discard", "leave"]),
        ({"dies": True}, ["streams", "discard", "leave"]),
        ({"alive": False}, ["discard", "leave"]),
        ({"stopped": True}, ["discard", "leave"]),
        ({"replaced": True}, []),
    ],
    ids=["nothing", "jars", "a running call", "a stream", "a JVM that ends", "no JVM", "a stopped session", "another"],
)  # fmt: skip
def test_what_is_left_in_a_jvm_decides_whether_it_is_kept(monkeypatch, left, done):
    jvm = Jvm(monkeypatch, **left)

    jvm.session().close()

    assert jvm.done == done


def test_the_run_that_has_started_the_jvm_writes_the_archive(monkeypatch):
    jvm = Jvm(monkeypatch)
    archive: Any = SimpleNamespace(write=lambda _: jvm.done.append("archive"))

    jvm.session(archive).close()

    assert jvm.done == ["archive", *STOPPED, "leave", "give back"]


def test_an_interrupted_run_ends_the_jvm(monkeypatch):
    jvm = Jvm(monkeypatch)

    jvm.session().abort()

    assert jvm.done == ["discard", "forget"]


@pytest.fixture
def start(monkeypatch, tmp_path):
    """Start a session in a kept JVM whose parts are doubles."""
    jvm = Jvm(monkeypatch)
    running = LaunchResources(class_path=(), options="-Xmx1g", archive=None)
    monkeypatch.setattr(kept_session, "has_own_settings", lambda: True)
    monkeypatch.setattr(kept_session, "needs_of_running", lambda _: running)

    def resources_for_start(_, *, archive):
        assert archive
        jvm.done.append("ask Java")
        return replace(running, archive=ClassArchive(tmp_path, "key", None))

    monkeypatch.setattr(kept_session, "resources_for_start", resources_for_start)
    monkeypatch.setattr(kept_session, "connect_jvm", lambda *connection: connection)
    monkeypatch.setattr(kept_session, "fresh_state", lambda _: jvm.state)
    monkeypatch.setattr(kept_session, "start_spark", lambda settings: settings)
    monkeypatch.setattr(kept_session, "end_unused_jvm", lambda: None)
    monkeypatch.setattr(compat, "active_spark", lambda: None)
    monkeypatch.setattr(kept_session, "import_numpy_late", lambda: None)

    def leased(_folder, _key, seconds, conf):
        if jvm.lease.is_new:
            jvm.done.append(f"start with {sorted(conf())}")
        jvm.done.append(f"lease for {seconds} s")
        return jvm.lease

    monkeypatch.setattr(kept_session, "lease", leased)

    def started():
        conf = {"spark.master": "local[1]", "spark.driver.memory": "2g", "spark.hadoop.fs.s3a.secret.key": "of a store"}
        return start_kept_session(tmp_path, conf, 600, archive=True)

    return SimpleNamespace(jvm=jvm, session=started)


OF_JVM = ["spark.driver.extraClassPath", "spark.driver.extraJavaOptions", "spark.driver.memory", "spark.master"]


def test_the_jvm_is_started_with_its_own_settings_and_the_session_with_all(start):
    session = start.session()

    assert start.jvm.done == ["ask Java", f"start with {OF_JVM}", "lease for 600 s"]
    assert session.spark["spark.hadoop.fs.s3a.secret.key"] == "of a store"
    assert (session.state, session.archive.key) == (start.jvm.state, "key")


def test_a_run_that_has_not_started_the_jvm_asks_no_java_and_writes_no_archive(start):
    start.jvm.lease.is_new = False

    session = start.session()

    assert start.jvm.done == ["lease for 600 s"]
    assert session.archive is None


def test_a_session_uses_the_classes_that_spark_has_generated_for_earlier_ones(start):
    settings = start.session().spark

    assert settings["spark.plugins"] == "pytest_delta_schema.SharedTaskClasses"
    assert settings["spark.sql.codegen.cache.maxEntries"] == "2000"


@pytest.mark.parametrize(
    ("name", "error", "message", "done"),
    [
        ("lease", NotKeptError("another run uses it"), "another run uses it", []),
        (
            "start_spark",
            BackendUnavailableError("the JVM has ended"),
            "no session could be started in the kept one, which was ended: the JVM has ended",
            ["discard", "forget"],
        ),
    ],
)
def test_a_run_that_cannot_use_it_says_why_in_one_line(start, monkeypatch, caplog, name, error, message, done):
    def failing(*_):
        raise error

    monkeypatch.setattr(kept_session, name, failing)
    with caplog.at_level(logging.WARNING, "pytest_delta_schema"):
        assert start.session() is None

    assert caplog.messages == [f"no JVM is kept, and this run starts its own: {message}"]
    assert start.jvm.done[3:] == done


def test_ctrl_c_during_the_start_ends_the_jvm(start, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(kept_session, "start_spark", interrupted)
    with pytest.raises(KeyboardInterrupt):
        start.session()

    assert start.jvm.done[3:] == ["discard", "forget"]


def test_other_settings_of_spark_prevent_it(start, monkeypatch, caplog):
    monkeypatch.setattr(kept_session, "has_own_settings", lambda: False)
    with caplog.at_level(logging.WARNING, "pytest_delta_schema"):
        assert start.session() is None

    fact = "an active session, SPARK_* variables or files in Spark's folder conf may configure Spark"
    assert caplog.messages == [f"no JVM is kept, and this run starts its own: {fact}"]
