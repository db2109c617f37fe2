"""Processes whose time or memory is measured: programs of the benchmarks, and runs of pytest."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from subjects import SOURCE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "syrupy")
"""A run of pytest that loads no plugin because it is installed."""

WITH_PLUGIN = (*PYTEST, "-p", "pytest_delta_schema.plugin")


def environment(**more: str) -> dict[str, str]:
    """Return the variables of a run that finds the modules of the benchmarks.

    Without files of bytecode, pytest would compile all modules of its plugins in each run; CI keeps no JVM.
    """
    names = os.environ.keys() - {"CI", "PYTHONDONTWRITEBYTECODE"}
    # The package of this checkout, whatever the environment has installed.
    own = {"PYTHONPATH": os.pathsep.join(map(str, (SOURCE.parent, SOURCE))), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return {**{name: os.environ[name] for name in names}, **own, **more}


def run(folder: Path, *command: str, **variables: str) -> str:
    """Run Python in a folder, and return what it prints; a failure shows it."""
    answer = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert not answer.returncode, answer.stdout[-3000:] + answer.stderr[-3000:]
    return answer.stdout


def program(name: str, *arguments: object, variables: Mapping[str, str] | None = None) -> Any:
    """Run a module of ``programs``, and return what it prints last, as JSON."""
    printed = run(SOURCE, "-m", f"programs.{name}", *map(str, arguments), **(variables or {}))
    return json.loads(printed.splitlines()[-1]) if printed else None


def peak_of(printed: str) -> float:
    """Return the peak of memory in KiB that ``programs.pytest_peak`` or another program prints."""
    peak = re.search(r"VmHWM:\s+(\d+) kB", printed)
    assert peak is not None, printed[-3000:]
    return float(peak[1])


def write_empty_tests(folder: Path, count: int) -> None:
    """Write a project with empty tests, which imports what a module of models does, and nothing of this package."""
    folder.mkdir(exist_ok=True)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_nothing.py").write_text(
        "import pytest\n"
        "from pyspark.sql.types import LongType, StringType\n\n"
        f"@pytest.mark.parametrize('number', range({count}))\n"
        "def test_nothing(number):\n"
        "    pass\n"
    )


def run_empty_tests(folder: Path, count: int) -> None:
    """Run the tests that :func:`write_empty_tests` wrote."""
    assert f"{count} passed" in run(folder, *PYTEST)
