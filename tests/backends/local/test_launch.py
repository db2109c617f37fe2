"""What a JVM is started with: pairs of versions, programs, and downloads that show their progress."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_delta_schema.backends.local import session
from pytest_delta_schema.backends.local.launch import Result, run
from pytest_delta_schema.backends.local.session import version_fault
from pytest_delta_schema.backends.local.start import start_session
from pytest_delta_schema.delta import PAIRS
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError

ROOT = Path(__file__).parents[3]
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


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_each_pair_is_an_extra_that_keeps_an_installed_pyspark_of_its_line():
    import tomllib  # noqa: PLC0415 - from Python 3.11 on

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    wanted = {
        "spark35": ["delta-spark==3.3.3", "pyspark>=3.5.3,<3.6"],
        "spark40": ["delta-spark==4.0.1", "pyspark>=4.0,<4.1"],
        "spark41": ["delta-spark==4.4.0", "pyspark>=4.1,<4.2"],
        "spark42": ["delta-spark==4.4.0", "pyspark==4.2.0"],
    }

    assert [pair.extra for pair in PAIRS] == list(wanted), "delta/__init__.py has other pairs"
    assert {name: extras.get(name) for name in wanted} == wanted, "pyproject.toml has other extras"
    assert extras["spark"] == extras[PAIRS[-1].extra], "the extra spark of pyproject.toml is not the newest pair"


def test_the_pins_of_a_pair_are_its_versions():
    for pair in PAIRS:
        path = ROOT / "constraints.txt" if pair is PAIRS[-1] else ROOT / "constraints" / f"{pair.extra}.txt"
        pins = dict(re.findall(r"^([\w-]+)==(\S+)", path.read_text("utf-8"), re.MULTILINE))

        assert (pins["pyspark"], pins["delta-spark"]) == (pair.pyspark, pair.delta_spark), path.relative_to(ROOT)


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
