"""A Spark standalone cluster on this machine: a master and its workers, on the loopback interface alone."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.spark.compat import spark_home

if TYPE_CHECKING:
    from collections.abc import Iterator

HOST = "127.0.0.1"
WORKER_MEMORY = "2g"

_ENDS_WITH_ITS_INPUT = '"$@" & cat >/dev/null; kill $!; wait $!'
"""A shell program that ends a daemon when its own input ends, as it does however this process ends."""

_START, _STOP = 60.0, 20.0
"""The seconds in which a daemon starts, and in which it ends before it is killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A running cluster.

    Args:
        master: Its address, ``spark://127.0.0.1:7077``.
        properties: The settings file of a driver. It holds the secret of the cluster, without which no other user of
            the machine can run a program there, so it is on no command line.
        work: The folders in which the workers run executors, one for each worker.
    """

    master: str
    properties: Path
    work: tuple[Path, ...]

    def environment(self) -> dict[str, str]:
        """Return the environment of a Python program whose session has the settings of the cluster."""
        arguments = f"--properties-file {self.properties} pyspark-shell"
        return {**_environment(), "PYSPARK_SUBMIT_ARGS": arguments}

    def worker_of(self, executor: str) -> int | None:
        """Return the number of the worker that has run an executor, ``None`` if no worker has."""
        return next((number for number, work in enumerate(self.work) if list(work.glob(f"app-*/{executor}"))), None)


@contextmanager
def standalone_cluster(workers: int) -> Iterator[Cluster]:
    """Start a master and workers of one core each, and end them with the block.

    Args:
        workers: How many workers.

    Raises:
        RuntimeError: If one of them does not start; the message has the end of its log.
    """
    with ExitStack() as stack:
        stack.enter_context(_termination_ends_blocks())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="standalone-")))
        properties = folder / "cluster.conf"
        properties.touch(0o600)
        properties.write_text(f"spark.authenticate true\nspark.authenticate.secret {secrets.token_hex(32)}\n", "utf-8")
        common = ("--host", HOST, "--port", "0", "--webui-port", "0", "--properties-file", str(properties))

        def start(daemon: str, log: Path, pattern: str, *arguments: str) -> str:
            stack.enter_context(_running(f"org.apache.spark.deploy.{daemon}", log, *common, *arguments))
            return _line(log, pattern)

        master = start("master.Master", folder / "master.log", r"Starting Spark master at (spark://\S+)")
        work = tuple(folder / f"worker-{number}" for number in range(workers))
        size = ("--cores", "1", "--memory", WORKER_MEMORY)
        for path in work:
            log = path.with_suffix(".log")
            start("worker.Worker", log, "(Successfully registered)", *size, "--work-dir", str(path), master)
        yield Cluster(master=master, properties=properties, work=work)


@contextmanager
def _running(daemon: str, log: Path, *arguments: str) -> Iterator[None]:
    """Run a daemon of Spark in the block."""
    command = ["sh", "-c", _ENDS_WITH_ITS_INPUT, "sh", str(spark_home() / "bin" / "spark-class"), daemon, *arguments]
    with (
        log.open("w", encoding="utf-8") as output,
        # In its own session Ctrl-C does not reach it, and it ends as in all other cases.
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=_environment(),
            start_new_session=True,
        ) as process,
    ):
        try:
            yield
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(_STOP)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def _line(log: Path, pattern: str) -> str:
    """Wait until a daemon logs a line, and return what the group of the pattern matches."""
    last = time.monotonic() + _START
    while time.monotonic() < last:
        match = re.search(pattern, log.read_text("utf-8"))
        if match:
            return match[1]
        time.sleep(0.1)
    msg = f"{log.stem} did not start in {_START:g} s; its log ends with:\n{log.read_text('utf-8')[-2000:]}"
    raise RuntimeError(msg)


def _environment() -> dict[str, str]:
    """Return an environment in which Spark listens on the loopback interface alone, its web pages included."""
    return {**os.environ, "SPARK_HOME": str(spark_home()), "SPARK_LOCAL_IP": HOST, "SPARK_DAEMON_MEMORY": "512m"}


@contextmanager
def _termination_ends_blocks() -> Iterator[None]:
    """Raise an exception in the block on SIGTERM, as Ctrl-C does, so it is left in order."""
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
