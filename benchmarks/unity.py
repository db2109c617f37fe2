"""A gate over a thousand tables of a Unity Catalog server, with logs in folders: from process start to summary."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from measure import of_limit
from pytest_runs import PLUGINS, environment
from subjects import SOURCE, models

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Ratio

TABLES, FEWER = 1000, 100
SECONDS = 5.0

SERVER = """
import json, sys
from pathlib import Path
from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.unity.logs.table_logs import Log
from pytest_delta_schema.backends.unity.entries.wire_format import entry_of, table_info
from pytest_delta_schema.testing.unity import UnityDouble

with UnityDouble() as double:
    double.metastore.create_catalog({"name": "dev"})
    double.metastore.create_schema({"name": "silver", "catalog_name": "dev"})
    for folder in sorted(Path(sys.argv[1]).glob("dev/silver/*")):
        name = QualifiedName("dev", "silver", folder.name)
        info = {"table_type": "EXTERNAL", "data_source_format": "DELTA", "storage_location": folder.as_uri()}
        log = Log(folder.as_uri(), {})
        entry = table_info(entry_of(name, info), log.shown(), log.timestamp())
        if "bare" in sys.argv:
            entry.update(columns=[], properties={}, comment=None)
        double.metastore.create_table(entry)
    print(double.uri, flush=True)
    sys.stdin.read()
"""
DECLARED = f"""
import sys
sys.path.insert(0, {str(SOURCE)!r})
from subjects import model
for number in range(TABLES):
    globals()[f"table_{{number}}"] = model(number)
"""
WATCHED = """
import atexit, sys, time
start = time.perf_counter()
import pytest
from pytest_delta_schema.backends.unity.reading import TableReader
from pytest_delta_schema.engine.gate import Gate

took = {"imports": time.perf_counter() - start}

def watch(owner, name, stage):
    inner = getattr(owner, name)
    def timed(*args, **kwargs):
        begun = time.perf_counter()
        try:
            return inner(*args, **kwargs)
        finally:
            took[stage] = took.get(stage, 0) + time.perf_counter() - begun
    setattr(owner, name, timed)

watch(TableReader, "_listings", "entries")
watch(TableReader, "read", "entries and logs")
watch(Gate, "plan", "plans")
watch(pytest.Session, "perform_collect", "collection")
code = pytest.main(sys.argv[1:])
took["whole"] = time.perf_counter() - start
print("TOOK", took)
sys.exit(code)
"""
# Not ``ru_maxrss``: on Linux a process inherits that of its parent, here of the benchmark, which is larger.
PEAK = """
import sys
from pathlib import Path
import pytest
code = pytest.main(sys.argv[1:])
print(Path("/proc/self/status").read_text())
sys.exit(code)
"""


def run() -> Iterator[Ratio]:
    """Yield the seconds of a whole run, and how much more memory many tables take than few."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder, "few"), Path(folder, "many")
        for project, number in ((few, FEWER), (many, TABLES)):
            write_project(project, number)
        with server_over(lake_of(many)) as server:
            assert server.stdout is not None
            uri = server.stdout.readline().strip()
            runs = [_gate(many, uri, TABLES) for _ in range(5)]
            fewer = _gate(few, uri, FEWER)
            _show_shares(many, uri)
            server.communicate()
        took = statistics.median(run[0] for run in runs)
        yield of_limit(f"a gate over {TABLES:,} tables and their catalog entries, no JVM", took, SECONDS)
        memory = (runs[0][1] - fewer[1]) / (TABLES - FEWER)
        yield of_limit("memory of a table in it", memory, 200, "KiB")


def write_project(project: Path, number: int) -> None:
    """Write a project, and the logs of its tables as an apply would have left them."""
    from pytest_delta_schema import to_struct_type  # noqa: PLC0415 - only here

    project.mkdir()
    (project / "pytest.ini").write_text("[pytest]\n")
    (project / "test_it.py").write_text(DECLARED.replace("TABLES", str(number)))
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


def server_over(lake: Path, *options: str) -> subprocess.Popen[str]:
    """Start a server whose entries match the logs in a folder, or, with the option ``bare``, show nothing of them."""
    command = [sys.executable, "-c", SERVER, str(lake), *options]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _command(uri: str) -> list[str]:
    marks = ["-m", "delta_drift or delta_metadata", "-q", *PLUGINS]
    return ["--delta-drift", "--delta-backend=unity", f"--delta-unity-uri={uri}", *marks]


def _run(code: str, project: Path, uri: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *_command(uri)]
    return subprocess.run(command, cwd=project, env=environment(), capture_output=True, text=True, check=False)


def _gate(project: Path, uri: str, number: int) -> tuple[float, float]:
    """Run the gate; return its seconds and its peak of memory in KiB."""
    start = time.perf_counter()
    done = _run(PEAK, project, uri)
    took = time.perf_counter() - start
    assert f"{2 * number} passed" in done.stdout, done.stdout[-3000:]
    peak = re.search(r"VmHWM:\s+(\d+) kB", done.stdout)
    assert peak is not None
    return took, float(peak[1])


def _show_shares(project: Path, uri: str) -> None:
    done = _run(WATCHED, project, uri)
    match = re.search(r"TOOK (\{.*\})", done.stdout)
    assert match is not None, done.stdout[-3000:]
    shares = json.loads(match[1].replace("'", '"'))
    whole = shares.pop("whole")
    print("  of which " + ", ".join(f"{name} {100 * seconds / whole:.0f} %" for name, seconds in shares.items()))
