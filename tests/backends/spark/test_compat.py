"""The private names of Spark, py4j and Delta: where they are used, and in which versions they were tried."""

from __future__ import annotations

import inspect
import re
import socket
import subprocess
import sys
from collections import deque
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

import pytest_delta_schema
from pytest_delta_schema.backends.spark import compat, delta_compat

PACKAGE = Path(pytest_delta_schema.__file__).parent
VERSIONS = {**compat.VERSIONS, **delta_compat.VERSIONS}

PRIVATE = re.compile(
    r"(?<!self)(?<!cls)\._(jvm|jsc|jdf|jsparkSession|gateway|options|sc|instantiatedSession|active_spark_context)\b"
    r"|\b_find_spark_home\b"
    r"|apache\.spark\.sql\.delta\b"
)
ALLOWED = {"backends/spark/compat.py", "backends/spark/delta_compat.py"}
SETTINGS = re.compile(r'"org\.apache\.spark\.sql\.delta\.catalog\.DeltaCatalog"')
"""What a documented setting of a session names."""


@pytest.mark.parametrize("distribution", VERSIONS)
def test_the_installed_version_is_one_in_which_they_were_tried(distribution):
    assert version(distribution) in SpecifierSet(VERSIONS[distribution])


def test_the_private_names_of_pyspark_are_there():
    from pyspark import SparkContext  # noqa: PLC0415 - a second to import
    from pyspark.find_spark_home import _find_spark_home  # noqa: PLC0415 - likewise
    from pyspark.sql import SparkSession  # noqa: PLC0415 - likewise
    from pyspark.sql.classic.dataframe import DataFrame  # noqa: PLC0415 - likewise

    for owner, name in (
        (SparkContext, "_gateway"),
        (SparkContext, "_jvm"),
        (SparkContext, "_active_spark_context"),
        (SparkSession, "_instantiatedSession"),
    ):
        assert hasattr(owner, name), name
    for wrapper, name in (
        (SparkSession, "_jvm"),
        (SparkSession, "_jsparkSession"),
        (SparkContext, "_jsc"),
        (DataFrame, "_jdf"),
    ):
        assert f"self.{name}" in inspect.getsource(wrapper), name
    assert callable(_find_spark_home)
    assert compat.builder_options(compat.new_builder({"spark.app.name": "x"})) == {"spark.app.name": "x"}
    assert compat.builder_options(compat.new_builder({})) == {}
    assert (compat.spark_home() / "bin" / "spark-submit").is_file()


def test_what_the_first_call_of_a_jvm_needs_is_imported_when_it_is_launched(monkeypatch):
    from py4j import protocol  # noqa: PLC0415 - needs pyspark
    from pyspark import java_gateway  # noqa: PLC0415 - likewise

    class Importing:
        def can_convert(self, value):
            converted.append(value)
            raise ImportError

    gateway: Any = java_gateway
    converted: list[object] = []
    monkeypatch.setattr(protocol, "INPUT_CONVERTER", [Importing()])
    with compat.imports_during_launch():
        assert converted == []
        with gateway.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE):
            assert converted == [None]

    assert gateway.Popen is subprocess.Popen


def test_leaving_a_jvm_does_not_wait_for_threads_that_it_has_called(monkeypatch):
    monkeypatch.setattr(compat, "forget_session", lambda: None)
    connected, of_jvm = socket.socketpair()
    stream = connected.makefile("rb")
    reader = Thread(target=stream.readline, daemon=True)
    reader.start()
    closed: list[dict[str, bool]] = []

    def close(**options):
        closed.append(options)
        reader.join(30)
        stream.close()

    ended = SimpleNamespace(socket=None)
    client = SimpleNamespace(deque=deque([ended, SimpleNamespace(socket=connected)]))
    compat.leave_jvm(SimpleNamespace(_gateway_client=client, close=close))

    assert (closed, reader.is_alive()) == ([{"keep_callback_server": True}], False)
    connected.close()
    of_jvm.close()


def test_no_other_module_uses_one():
    uses = {
        path.relative_to(PACKAGE).as_posix(): line.strip()
        for path in sorted(PACKAGE.rglob("*.py"))
        for line in path.read_text("utf-8").splitlines()
        if PRIVATE.search(SETTINGS.sub("", line))
    }

    assert {path: line for path, line in uses.items() if path not in ALLOWED} == {}
    assert uses.keys() == ALLOWED
