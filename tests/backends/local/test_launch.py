"""What a JVM is started with: pairs of versions, programs, and downloads that show their progress."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_delta_schema.backends.local import session
from pytest_delta_schema.backends.local.launch import Result, run
from pytest_delta_schema.backends.local.session import version_fault
from pytest_delta_schema.backends.local.start import start_session
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError

EXTRA = "pip install 'pytest-delta-schema[spark]'"


NOT_THERE = f"the local backend needs Spark and Delta, and pyspark is not installed; run: {EXTRA}"
NEWEST = "pip install 'pyspark==4.2.0' 'delta-spark==4.4.0'"
CLIENT = (
    "provides pyspark without a Spark that the local backend could start; choose another backend, such as"
    f" --delta-backend=session, or run in another environment: {EXTRA}"
)
FAULTS = [
    ({}, NOT_THERE),
    ({"delta-spark": "4.4.0"}, NOT_THERE),
    ({"pyspark": "3.5.9"}, "pyspark 3.5.9 is installed without delta-spark; run: pip install 'delta-spark==3.3.3'"),
    (
        {"pyspark": "3.5.9", "delta-spark": "4.4.0"},
        "delta-spark 4.4.0 is not built for pyspark 3.5.9; run: pip install 'delta-spark==3.3.3'",
    ),
    (
        {"pyspark": "4.2.0", "delta-spark": "4.3.1"},
        "delta-spark 4.3.1 is not built for pyspark 4.2.0; run: pip install 'delta-spark==4.4.0'",
    ),
    ({"pyspark": "3.4.4"}, f"there is no supported delta-spark for pyspark 3.4.4; run: {NEWEST}"),
    ({"databricks-connect": "16.4.2"}, f"databricks-connect 16.4.2 {CLIENT}"),
    ({"pyspark-client": "4.1.0", "delta-spark": "4.4.0"}, f"pyspark-client 4.1.0 {CLIENT}"),
    (
        {"pyspark": "4.2.0", "databricks-connect": "16.4.2", "delta-spark": "4.4.0"},
        (
            "databricks-connect 16.4.2 and pyspark 4.2.0 install the same package, and overwrite each other's files; run:"
            f" pip uninstall --yes databricks-connect pyspark, and then: {EXTRA}"
        ),
    ),
    *(
        ({"pyspark": pyspark, "delta-spark": delta}, "")
        for pyspark, delta in [
            ("4.2.0", "4.4.0"),
            ("4.2.1", "4.4.1"),
            ("4.1.4", "4.2.0"),
            ("4.0.1", "4.4.0"),
            ("3.5.3", "3.3.2"),
            ("4.2.0.dev1", "4.4.0"),
        ]
    ),
]


def test_an_environment_without_a_pair_is_named_with_the_command_that_completes_it():
    assert [version_fault(versions) for versions, _ in FAULTS] == [fault for _, fault in FAULTS]


def test_the_start_of_a_local_session_checks_the_pair(monkeypatch, tmp_path):
    monkeypatch.setattr(session, "installed", lambda: {"pyspark": "4.1.4"})
    monkeypatch.setitem(sys.modules, "delta", None)

    with pytest.raises(BackendUnavailableError) as caught:
        start_session(tmp_path)

    assert str(caught.value) == "pyspark 4.1.4 is installed without delta-spark; run: pip install 'delta-spark==4.4.0'"


SHORT = [sys.executable, "-c", "import sys; sys.stderr.write('17'); sys.exit(3)"]


def test_the_answer_of_a_program():
    assert run(SHORT, 60) == Result(3, "17")


def test_an_interruption_is_not_lost_and_ends_the_program(monkeypatch):
    processes = []

    def communicate(process: subprocess.Popen[bytes], **_: object) -> None:
        processes.append(process)
        if len(processes) == 1:
            process.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", communicate)
    for seconds in (0, 600):  # just ended, and running
        with pytest.raises(KeyboardInterrupt):
            run([sys.executable, "-c", f"import time; time.sleep({seconds})"], 60)

    assert [process.returncode for process in processes] == [0, -9]
