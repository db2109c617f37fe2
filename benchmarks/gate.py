"""A gate over local tables in sync, from process start to summary, against as many empty tests; no JVM is started."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from local import write_tables
from measure import Row, in_turn
from processes import WITH_PLUGIN, run_empty_tests, write_empty_tests
from processes import run as run_python
from small_tables import small_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema import Table

CONTRACT_LIMIT = 1.8
PLAN_LIMIT = 1.5
LIMITS = {1: 1.9, 200: 2.1, 1000: 2.7}
"""The limit of a gate by its number of tables."""

MODELS = """
import os
from small_tables import small_table
tables = [small_table(number) for number in range(int(os.environ["TABLES"]))]
"""
GATE = (*WITH_PLUGIN, "models.py", "--delta-drift", "-m", "delta_drift")


def run() -> Iterator[Row]:
    """Yield the cost of each gate."""
    with tempfile.TemporaryDirectory() as name:
        gate, empty = Path(name, "gate"), Path(name, "empty")
        gate.mkdir()
        (gate / "models.py").write_text(MODELS)
        (gate / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
        (gate / "pyproject.toml").write_text('[tool.pytest_delta_schema]\nmodels = ["models"]\n')
        write_tables(gate / ".delta-warehouse", max(LIMITS))
        for tables, limit in LIMITS.items():
            write_empty_tests(empty, tables)
            plural = "s" * (tables > 1)
            yield Row(
                name=f"a gate over {tables:,} local table{plural}, no JVM",
                reference_name=f"a run of {tables:,} empty test{plural}",
                pairs=in_turn(partial(_gate, gate, tables), partial(run_empty_tests, empty, tables)),
                limit=limit,
            )
    yield from _held_to_contract()
    yield from _planned()


PASSES = """
import pytest

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    session.exitstatus = 0
"""


def _planned() -> Iterator[Row]:
    """Yield the cost of writing the plan file of new tables, and of reading it and comparing it with a new plan.

    Nothing is applied, because the tables are protected.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, count = Path(name), max(LIMITS)
        (folder / "models.py").write_text(MODELS)
        (folder / "conftest.py").write_text(PASSES)
        (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = -m 'delta_drift or delta_apply'\n")
        section = '[tool.pytest_delta_schema]\nmodels = ["models"]\nbackend = "memory"\nprotected = ["dev.*"]\n'
        (folder / "pyproject.toml").write_text(section)

        def run(end: str, *options: str) -> None:
            printed = run_python(folder, *WITH_PLUGIN, "--tb=no", *options, TABLES=str(count))
            assert end in printed, printed[-2000:]

        gate = partial(run, f"drift: {count} drifted", "--delta-drift")
        write = partial(run, f"plan of {count} tables written", "--delta-drift", "--delta-plan-out=plan.json")
        write()
        verify = partial(run, f"apply: {count} blocked", "--delta-apply", "--delta-plan=plan.json")
        for what, measured in (("writing", write), ("reading and comparing", verify)):
            yield Row(
                name=f"{what} the plan file of {count:,} new tables",
                reference_name="the gate over them",
                pairs=in_turn(measured, gate),
                limit=PLAN_LIMIT,
            )


def _held_to_contract() -> Iterator[Row]:
    """Yield the cost of the check of data contracts in a plain run over models with reviewed snapshots."""
    with tempfile.TemporaryDirectory() as name:
        folder, count = Path(name), max(LIMITS)
        (folder / "models.py").write_text(MODELS)
        (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
        section = '[tool.pytest_delta_schema]\nmodels = ["models"]\n'
        (folder / "pyproject.toml").write_text(section)
        (folder / "shop.odcs.yaml").write_text(_contract(small_table(number) for number in range(count)))
        run_python(folder, *WITH_PLUGIN, "--snapshot-update", TABLES=str(count))

        def run(*options: str) -> None:
            assert " passed" in run_python(folder, *WITH_PLUGIN, *options, TABLES=str(count))

        yield Row(
            name=f"{count:,} models, and the data contract that describes them",
            reference_name="the same run without the contract",
            pairs=in_turn(partial(run, "--delta-set=odcs=['*.odcs.yaml']"), run),
            limit=CONTRACT_LIMIT,
        )


def _contract(tables: Iterable[Table]) -> str:
    described = [
        {
            "name": table.table_name,
            "physicalName": table.qualified_name,
            "properties": [
                {"name": column.name, "physicalType": column.data_type.simpleString(), "description": column.comment}
                for column in table.columns
            ],
        }
        for table in tables
    ]
    head = {"apiVersion": "v3.2.0", "kind": "DataContract", "id": "shop", "version": "1.0.0", "status": "active"}
    text: str = yaml.safe_dump({**head, "schema": described}, sort_keys=False)
    return text


def _gate(folder: Path, tables: int) -> None:
    # A start of Spark would fail.
    printed = run_python(folder, *GATE, TABLES=str(tables), JAVA_HOME="/nowhere")
    assert f"drift: {tables} in sync, 0 statements run" in printed, printed
