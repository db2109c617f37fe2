"""What is killed: the scenarios of every kind of statement, and the processes that run them."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType, StringType

from faults.cases import BrokenInvariantError, NotTriedError
from faults.scenarios import Line, going_through, moved, planned_statements, rows_in, scenario_named
from pytest_delta_schema import Column, Parquet, Table
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.sql.renderers import restoring
from pytest_delta_schema.testing.scenario import Scenario

if TYPE_CHECKING:
    from typing_extensions import Self

    from faults.bench import Bench


ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 240.0
"""Seconds for a JVM to start and for a statement to run, on a machine that is busy."""


class KillTarget:
    """A process with its own JVM; gone, with its JVM, when the block ends.

    Args:
        folder: For its output.
        warehouse: The warehouse that it works in.
        scenario_copy: What it runs.
        kind: The kind of statement whose begin and end it tells.
        wait: A file that it waits for, before it begins.
    """

    def __init__(
        self,
        folder: Path,
        warehouse: Path,
        scenario_copy: ScenarioCopy,
        kind: str,
        wait: Path | None = None,
    ) -> None:
        self.output = folder / "output.txt"
        self.events: list[dict[str, Any]] = []
        self.jvm = 0
        self._rest = b""
        self._pipe, pipe = os.pipe()
        spec = {"pipe": pipe, "warehouse": str(warehouse), "scenario_copy": asdict(scenario_copy), "kind": kind}
        if wait is not None:
            spec["wait"] = str(wait)
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "faults.kill_target", json.dumps(spec)],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}"},
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                pass_fds=(pipe,),
                start_new_session=True,
            )
        os.close(pipe)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._pipe)

    def wait_for(self, *events: str, seconds: float = PATIENCE) -> dict[str, Any] | None:
        """Return the first of some events; ``None`` if it does not come in time, or never can."""
        until = time.monotonic() + seconds
        while True:
            known = next((event for event in self.events if event["event"] in events), None)
            if known is not None:
                return known
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._pipe], [], [], left)[0] or not self._read():
                return next((event for event in self.events if event["event"] in events), None)

    def started(self) -> None:
        """Wait until the JVM is there.

        Raises:
            NotTriedError: If it does not start.
        """
        ready = self.wait_for("ready", "broken")
        if ready is None or ready["event"] != "ready":
            msg = f"the target has not started: {self.tail()}"
            raise NotTriedError(msg)
        self.jvm = ready["jvm"]

    def kill(self, whom: str) -> None:
        """Kill ``both``, the ``process`` or the ``jvm``, by signal 9."""
        if whom == "process":
            os.kill(self.process.pid, signal.SIGKILL)
        elif whom == "jvm":
            os.kill(self.jvm, signal.SIGKILL)
        else:
            os.killpg(self.process.pid, signal.SIGKILL)

    def require_gone(self, seconds: float) -> None:
        """Wait for process and JVM to end.

        Raises:
            BrokenInvariantError: If one of them stays.
        """
        until = time.monotonic() + seconds
        while self._is_alive(self.jvm) or self.process.poll() is None:
            self.wait_for("never", seconds=0)
            if time.monotonic() > until:
                who = "the process" if self.process.poll() is None else "the JVM"
                msg = f"{who} is still there after {seconds:.0f} s: {self.tail()}"
                raise BrokenInvariantError(msg)
            time.sleep(0.05)
        self.wait_for("never", seconds=1)

    def tail(self) -> str:
        """Return the last lines that it wrote."""
        return self.output.read_text("utf-8", "replace")[-1500:]

    def _read(self) -> bool:
        chunk = os.read(self._pipe, 65536)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self.events += [json.loads(line) for line in lines]
        return bool(chunk)

    @staticmethod
    def _is_alive(pid: int) -> bool:
        with suppress(OSError, IndexError):
            return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0] != "Z"
        return False


MANY = 3000
"""Rows of the tables that are rewritten, in seven partitions."""

COLUMNS = [Column("id", LongType()), Column("day", StringType()), Column("n", LongType())]
_FRAME = ("id", "concat('day-', id % 7) AS day", "id * 3 AS n")

REWRITTEN, CONVERTED, RESTORED = "own/rewritten", "own/converted", "own/restored"
_OWN = {
    REWRITTEN: (StatementKind.REWRITE_LAYOUT,),
    CONVERTED: (StatementKind.CONVERT_TABLE, StatementKind.REGISTER_TABLE),
    RESTORED: (StatementKind.RESTORE_TABLE,),
}


def _table(**options: Any) -> Table:
    return Table("dev", "silver", "orders", COLUMNS, **options)


def scenario_of(name: str) -> Scenario:
    """Return a scenario of the suite, or one of those that are played here only."""
    if name not in _OWN:
        return scenario_named(name)
    after = {
        REWRITTEN: _table(partitioned_by=["day"]),
        CONVERTED: _table(partitioned_by=["day"], convert_from=Parquet("unknown yet")),
        RESTORED: _table(),
    }[name]
    before = None if name == CONVERTED else _table()
    return Scenario(name=name, before=before, after=after, consents=("rewrite dev.silver.orders",))


def scenarios_with(kind: StatementKind) -> list[str]:
    """Return the names of all scenarios in which a kind of statement runs."""
    own = [name for name, kinds in _OWN.items() if kind in kinds]
    if kind in (StatementKind.CONVERT_TABLE, StatementKind.RESTORE_TABLE):
        return own
    played = [
        scenario.name
        for scenario in going_through()
        if any(statement.kind is kind for statement in planned_statements(scenario.name))
    ]
    return [*own, *played]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioCopy:
    """A copy of a scenario.

    Args:
        name: The name of the scenario.
        schema: Of its tables.
        source: The folder of parquet that is converted; ``""`` if there is none.
    """

    name: str
    schema: str
    source: str = ""

    @property
    def scenario(self) -> Scenario:
        """The scenario with the names that the tables have."""
        there = moved(scenario_of(self.name), self.schema)
        if not self.source:
            return there
        return replace(there, after=replace(there.after, convert_from=Parquet(self.source)))

    def act(self, catalog: Any, ddl: Any) -> None:
        """Do what is to be hit."""
        if self.name == RESTORED:
            ddl.run(restoring(self.scenario.after.name, 1))
        else:
            Line(scenario=self.scenario, catalog=catalog, ddl=ddl).apply()

    def folder(self, warehouse: Path) -> Path:
        """Return where the files of the table are."""
        return Path(self.source) if self.source else table_folder(warehouse, self.scenario.after.name)


def fill(bench: Bench, name: str, table: Table) -> None:
    """Write the rows of a table that no scenario has, in several files and commits."""
    if name in (REWRITTEN, RESTORED):
        for start in (0, MANY):
            frame = bench.local.spark.range(start, start + MANY, 1, 2).selectExpr(*_FRAME)
            frame.write.format("delta").mode("append").save(str(table_folder(bench.warehouse, table.name)))


def parquet_for(bench: Bench) -> tuple[Path, list[dict[str, Any]]]:
    """Return a copy of a partitioned folder of parquet, and its rows."""
    with bench.lock:
        if "parquet" not in bench.shared:
            kept = bench.new_folder("parquet") / "kept"
            frame = bench.local.spark.range(0, MANY, 1, 2).selectExpr(*_FRAME)
            frame.write.partitionBy("day").parquet(str(kept))
            bench.shared["parquet"] = (kept, rows_in(bench, kept, "parquet")[0])
        kept, rows = bench.shared["parquet"]
    folder = bench.new_folder("lake") / "orders"
    shutil.copytree(kept, folder)
    return folder, rows
