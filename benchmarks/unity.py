"""A gate over a thousand tables of a Unity Catalog server, with logs in folders: from process start to summary."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from measure import Row, in_turn
from processes import PYTEST, WITH_PLUGIN, environment, peak_of, run_empty_tests, write_empty_tests
from processes import run as run_python
from subjects import models

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES, FEWER = 1000, 100

GATE = (*WITH_PLUGIN[2:], "--delta-drift", "--delta-backend=unity", "-m", "delta_drift or delta_metadata")
"""The options of pytest, without those for the program that runs it."""


def run() -> Iterator[Row]:
    """Yield the cost of a whole run, and how much more memory many tables take than few."""
    with tempfile.TemporaryDirectory() as name:
        few, many = Path(name, "few"), Path(name, "many")
        for project, number in ((few, FEWER), (many, TABLES)):
            write_project(project, number)
            write_empty_tests(_empty(project), 2 * number)
        with server_over(lake_of(many)) as server:
            assert server.stdout is not None
            uri = server.stdout.readline().strip()
            yield Row(
                name=f"a gate over {TABLES:,} tables and their catalog entries, no JVM",
                reference_name=f"a run of {2 * TABLES:,} empty tests",
                pairs=in_turn(
                    lambda: _gate("pytest", many, uri, TABLES),
                    lambda: run_empty_tests(_empty(many), 2 * TABLES),
                    time.perf_counter,
                ),
                limit=4.6,
            )
            shares = json.loads(_gate("programs.watched_gate", many, uri, TABLES).splitlines()[-1])
            print("  of which " + ", ".join(f"{name} {share:.0%}" for name, share in shares.items()))
            peaks = [
                (
                    peak_of(_gate("programs.pytest_peak", project, uri, number)),
                    peak_of(run_python(_empty(project), "-m", "programs.pytest_peak", *PYTEST[2:])),
                )
                for project, number in ((many, TABLES), (few, FEWER))
            ]
            server.communicate()
        growth = [(of_many - of_few) / (TABLES - FEWER) for of_many, of_few in zip(*peaks, strict=True)]
        yield Row(
            name="memory of a table in it",
            reference_name="two empty tests",
            pairs=[(growth[0], growth[1])],
            limit=4.8,
            unit="KiB",
        )


def write_project(project: Path, number: int) -> None:
    """Write a project, and the logs of its tables as an apply would have left them."""
    from pytest_delta_schema import to_struct_type  # noqa: PLC0415 - only here

    project.mkdir()
    (project / "pytest.ini").write_text("[pytest]\n")
    (project / "test_it.py").write_text(f"from subjects import models\ndelta_tables = models({number})\n")
    for table in models(number):
        log = lake_of(project).joinpath(*table.name, "_delta_log")
        log.mkdir(parents=True)
        key = {"name": f"pk_{'_'.join(table.name)}__{'_'.join(table.primary_key)}", "columns": list(table.primary_key)}
        properties = {**table.table_properties, "pytest_delta_schema.primaryKey": json.dumps(key)}
        metadata = {
            "id": "0",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": to_struct_type(table).json(),
            "partitionColumns": [],
            "configuration": properties,
            "description": table.comment,
        }
        actions = [
            {"commitInfo": {"timestamp": 1_790_000_000_000}},
            {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
            {"metaData": metadata},
        ]
        (log / f"{0:020d}.json").write_text("\n".join(map(json.dumps, actions)))


def lake_of(project: Path) -> Path:
    """Return the folder of the tables, which is not in that of the tests: pytest would look for tests in each table."""
    return project.with_name(f"{project.name}_lake")


def _empty(project: Path) -> Path:
    return project.with_name(f"{project.name}_empty")


def server_over(lake: Path, *options: str) -> subprocess.Popen[str]:
    """Start a server whose entries match the logs in a folder, or, with the option ``bare``, show nothing of them."""
    command = [sys.executable, "-m", "programs.unity_server", str(lake), *options]
    return subprocess.Popen(command, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _gate(runner: str, project: Path, uri: str, number: int) -> str:
    printed = run_python(project, "-m", runner, *GATE, f"--delta-set=unity_uri={uri}")
    assert f"{2 * number} passed" in printed, printed[-3000:]
    return printed
