"""Contracts against tests by hand: whole pytest runs, in turn; and what the plugin costs a run that is not its own."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measure import of_limit, of_pairs
from subjects import SOURCE, models

from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Ratio

TABLES = 1000
LOAD_MS = 5.0
LOADS = 100

CONTRACTS = f"""
import sys
sys.path.insert(0, {str(SOURCE)!r})
from subjects import model
delta_tables = [model(number) for number in range({TABLES})]
"""
BY_HAND = f"""
import json, pathlib, pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

class Sql(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "sql"

TEXTS = json.loads(pathlib.Path(__file__).with_name("texts.json").read_text())

@pytest.mark.parametrize("number", range({TABLES}))
def test_sql(number, snapshot):
    assert TEXTS[number] == snapshot.use_extension(Sql)

@pytest.mark.parametrize("number", range({TABLES}))
def test_nothing(number):
    pass
"""

LOAD = """
import gc, json, os, sys
import pytest

OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
WITHOUT = ["-p", "no:pytest_delta_schema.plugin"]

def seconds(*options):
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(pytest.main([*OPTIONS, *options]))
    _, status, usage = os.wait4(child, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime

assert pytest.main([*OPTIONS, *WITHOUT]) == 0
assert "pytest_delta_schema" not in sys.modules
gc.collect()
gc.freeze()
gc.disable()
seconds()
pairs = [(seconds(), seconds(*WITHOUT)) for _ in range(int(sys.argv[1]))]
print(json.dumps(list(zip(*pairs))))
"""


def run() -> Iterator[Ratio]:
    """Yield the ratio of a run, and the load of the plugin."""
    with tempfile.TemporaryDirectory() as folder:
        with_plugin, without_plugin = Path(folder, "contracts"), Path(folder, "tests")
        for project, text in ((with_plugin, CONTRACTS), (without_plugin, BY_HAND)):
            project.mkdir()
            (project / "pytest.ini").write_text("[pytest]\n")
            (project / "test_it.py").write_text(text)
        planner = TablePlanner()
        texts = [script(statements(planner.creation(desired_state(table)))) for table in models(TABLES)]
        (without_plugin / "texts.json").write_text(json.dumps(texts))
        for project in (with_plugin, without_plugin):
            assert f"{2 * TABLES} passed" in _pytest(project, "--snapshot-update")[1]
        pairs = [(_pytest(with_plugin)[0], _pytest(without_plugin)[0]) for _ in range(5)]
        name = f"{TABLES:,} contracts without a catalog ({2 * TABLES:,} tests)"
        yield of_pairs(name, "the same tests written by hand", pairs, 2.0)
        empty = Path(folder, "empty")
        empty.mkdir()
        (empty / "pytest.ini").write_text("[pytest]\n")
        (empty / "test_it.py").write_text("def test_it(): pass\n")
        yield _load(empty)


def _load(folder: Path) -> Ratio:
    """Measure the processor time of runs with and without the plugin, in turn; the cheapest tenth of each counts.

    Processor time does not grow with the time for which other programs run. All runs are forked from one process that
    has imported pytest and the other plugins, so their start is not measured.
    """
    answer = subprocess.run(
        [sys.executable, "-c", LOAD, str(LOADS)],
        cwd=folder,
        env=_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    with_plugin, without_plugin = (
        statistics.mean(sorted(times)[: LOADS // 10]) for times in json.loads(answer.stdout.splitlines()[-1])
    )
    return of_limit("loading the plugin in a run without tables", with_plugin - without_plugin, LOAD_MS / 1000)


def _pytest(folder: Path, *args: str) -> tuple[float, str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *args]
    start = _processor_time()
    answer = subprocess.run(command, cwd=folder, env=_environment(), capture_output=True, text=True, check=False)
    return _processor_time() - start, answer.stdout


def _processor_time() -> float:
    """Return the processor time of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _environment() -> dict[str, str]:
    # Compiled code is kept, as it is on users' machines; some CI machines switch that off.
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
