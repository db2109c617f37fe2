"""A gate over tables of an S3 server on loopback, against listing and reading the same objects by deltalake's store."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from gate import GATE, MODELS
from local import write_tables
from measure import Row, in_turn
from processes import program
from processes import run as run_python

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES, COMMITS = 1000, 3
LIMIT = 1.5
KEYS = {"AWS_ACCESS_KEY_ID": "benchmark", "AWS_SECRET_ACCESS_KEY": "benchmark"}

SETTINGS = """
[tool.pytest_delta_schema]
models = ["models"]
backend = "locations"
locations = {{ "dev.silver" = "s3://lake/silver" }}

[[tool.pytest_delta_schema.storage]]
prefix = "s3://lake"
endpoint = "{endpoint}"
region = "us-east-1"
path_style = true
"""


def run() -> Iterator[Row]:
    """Yield the cost of the gate."""
    with tempfile.TemporaryDirectory() as name, s3_server() as endpoint:
        folder = Path(name)
        (folder / "models.py").write_text(MODELS)
        (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
        (folder / "pyproject.toml").write_text(SETTINGS.format(endpoint=endpoint))
        write_tables(folder / "warehouse", 1)
        objects = _upload(folder / "warehouse" / "dev" / "silver" / "table_0" / "_delta_log", endpoint)
        yield Row(
            name=f"a gate over {TABLES:,} tables of an S3 server on loopback, no JVM",
            reference_name="listing and reading the same objects by deltalake's store",
            pairs=in_turn(
                partial(_gate, folder),
                partial(program, "read_store", endpoint, json.dumps(objects), TABLES, variables=KEYS),
                time.perf_counter,
            ),
            limit=LIMIT,
        )


@contextmanager
def s3_server() -> Iterator[str]:
    """Start an S3 server on a free port, and return its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(300):
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def _upload(log: Path, endpoint: str) -> list[str]:
    """Upload the log of one table, and two commits of a job that appends, as that of each table; return its files."""
    client = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
    )
    client.create_bucket(Bucket="lake")
    appended = json.dumps({"commitInfo": {"timestamp": 0, "operation": "WRITE"}}).encode()
    files = {f"{version:020d}.json": appended for version in range(COMMITS)}
    files |= {path.name: path.read_bytes() for path in log.glob("[0-9]*.json")}
    for number in range(TABLES):
        for name, content in files.items():
            client.put_object(Bucket="lake", Key=f"silver/table_{number}/_delta_log/{name}", Body=content)
    client.close()
    return sorted(files)


def _gate(folder: Path) -> None:
    # A start of Spark would fail.
    printed = run_python(folder, *GATE, TABLES=str(TABLES), JAVA_HOME="/nowhere", **KEYS)
    assert f"drift: {TABLES} in sync, 0 statements run" in printed, printed
