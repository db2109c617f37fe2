"""Run scripts in another process, which can be ended: a script that hangs costs a minute, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.execute.interruption import in_time
from pytest_delta_schema.progress import step
from pytest_delta_schema.witness.answers import ScriptAnswer

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Self

    from pytest_delta_schema.witness.answers import Side

LIMIT = 60.0
"""Seconds in which a script has to answer on one side."""

_ENDING = 10.0
"""Seconds in which the process may stop Spark and end."""

_START_LIMIT = 600.0
"""Seconds in which Spark has to start; the first start of a machine downloads it."""


class Runner:
    """A context manager that runs scripts; its process and its session are started with the first one."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.fault = ""
        """Why no script can be run, such as that there is no Java; ``""`` if they can."""
        self._limit = limit
        self._process: subprocess.Popen[str] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def answers(self, script: Path) -> tuple[ScriptAnswer, ScriptAnswer] | None:
        """Return the answers of a script before the change and after it; ``None`` if no script can be run."""
        before, after = self._answer(script, "before"), self._answer(script, "after")
        return None if before is None or after is None else (before, after)

    def close(self) -> None:
        """End the process, which ends by itself when it has nothing more to read, and remove its temporary files."""
        self._end(_ENDING)

    def _end(self, seconds: float) -> None:
        """End the process, and kill what has not ended after some seconds."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None  # noqa: S101 - a pipe
        with suppress(BrokenPipeError):
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout is not None  # noqa: S101 - a pipe
        process.stdout.close()
        if self._folder is not None:
            self._folder.cleanup()

    def _answer(self, script: Path, side: Side) -> ScriptAnswer | None:
        if self._process is None and not self.fault:
            self._start()
        if self.fault:
            return None
        try:
            answer = self._ask(json.dumps([str(script), side]), self._limit)
        except TimeoutError:
            self._end(0)
            return ScriptAnswer(text=f"no answer within {self._limit:.0f} s", failed=True)
        if answer is None:
            self.close()
            return ScriptAnswer(text="the process that ran it has ended", failed=True)
        return ScriptAnswer(**answer)

    def _start(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="witness-", ignore_cleanup_errors=True)
        # Its own group, so Ctrl-C reaches this process only, and the JVM ends with the other one.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pytest_delta_schema.witness.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "TMPDIR": self._folder.name},
            start_new_session=True,
        )
        with step("starting Spark for the witnesses"):
            try:
                started = self._ask("", _START_LIMIT)
            except TimeoutError:
                started = {"fault": f"Spark did not start within {_START_LIMIT:.0f} s; look at this machine's load"}
        self.fault = "the process of the witnesses has ended while it started" if started is None else started["fault"]
        if self.fault:
            self.close()

    def _ask(self, line: str, limit: float) -> dict[str, Any] | None:
        """Return the answer to a line; ``None`` if the process has ended."""
        process = self._process
        assert process is not None  # noqa: S101 - started by the caller
        assert process.stdin is not None  # noqa: S101 - pipes
        assert process.stdout is not None  # noqa: S101 - pipes
        if line:
            with suppress(BrokenPipeError):
                process.stdin.write(f"{line}\n")
                process.stdin.flush()
        text = in_time(process.stdout.readline, limit)
        return json.loads(text) if text else None
