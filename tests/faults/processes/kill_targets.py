"""Starting, watching and killing targets."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults.cases import BrokenInvariantError, NotTriedError

if TYPE_CHECKING:
    from typing_extensions import Self

    from faults.processes.kill_cases import ScenarioCopy

ROOT = Path(__file__).resolve().parents[3]
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
        self, folder: Path, warehouse: Path, scenario_copy: ScenarioCopy, kind: str, wait: Path | None = None
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
                [sys.executable, "-m", "faults.processes.kill_target", json.dumps(spec)],
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
