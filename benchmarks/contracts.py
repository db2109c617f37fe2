"""Contracts against tests by hand: whole pytest runs, in turn; and what the plugin costs a run that is not its own."""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measure import ROUNDS, Row, in_turn
from processes import program
from processes import run as run_python
from subjects import models

from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES = 1000
LOADS = 50
"""How often a run is forked, with the plugin and without it, in each round."""

ALL_PLUGINS = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
"""A run of pytest that loads each installed plugin but xdist."""

CONTRACTS = f"""
from subjects import models
delta_tables = models({TABLES})
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


def run() -> Iterator[Row]:
    """Yield the cost of a run, and that of loading the plugin."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield _contracts(folder / "contracts", folder / "tests")
        yield _loading(folder / "empty")


def _contracts(contracts: Path, by_hand: Path) -> Row:
    for project, text in ((contracts, CONTRACTS), (by_hand, BY_HAND)):
        project.mkdir()
        (project / "pytest.ini").write_text("[pytest]\n")
        (project / "test_it.py").write_text(text)
    planner = TablePlanner()
    texts = [script(statements(planner.creation(desired_state(table)))) for table in models(TABLES)]
    (by_hand / "texts.json").write_text(json.dumps(texts))

    def run_tests(project: Path, *options: str) -> None:
        printed = run_python(project, *ALL_PLUGINS, *options, PYTEST_DISABLE_PLUGIN_AUTOLOAD="")
        assert f"{2 * TABLES} passed" in printed, printed

    for project in (contracts, by_hand):
        run_tests(project, "--snapshot-update")
    return Row(
        name=f"{TABLES:,} contracts without a catalog ({2 * TABLES:,} tests)",
        reference_name="the same tests written by hand",
        pairs=in_turn(lambda: run_tests(contracts), lambda: run_tests(by_hand)),
        limit=2.0,
    )


def _loading(folder: Path) -> Row:
    """Compare the difference between runs with and without the plugin with the latter.

    All runs are forked in turn from one process that has imported pytest and the other plugins, so their start is not
    measured. The cheapest tenth of each counts.
    """
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_it.py").write_text("def test_it(): pass\n")

    def pair() -> tuple[float, float]:
        both = program("loads", folder, LOADS)
        with_plugin, without = (statistics.mean(sorted(times)[: LOADS // 10]) for times in both)
        return with_plugin - without, without

    name = "loading the plugin in a run without tables"
    pairs = [pair() for _ in range(ROUNDS)]
    return Row(name=name, reference_name="the rest of a run of an empty test", pairs=pairs, limit=0.16)
