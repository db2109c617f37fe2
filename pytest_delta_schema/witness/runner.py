"""Write the scripts of a run, run them in another process, which can be ended, and compare their answers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_delta_schema.backends.local.session import installed
from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.diagnostics.errors import ConfigurationError, os_error_text
from pytest_delta_schema.diagnostics.faults import Witness
from pytest_delta_schema.execute.interruption import in_time
from pytest_delta_schema.progress import step
from pytest_delta_schema.witness.script import FIRST_LINE, NoScript, witness_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from pytest_delta_schema.compatibility.judging import CompatibilityFinding
    from pytest_delta_schema.diagnostics.faults import WitnessResult
    from pytest_delta_schema.state.states import TableState


Side = Literal["before", "after"]

_LONGEST = 300
"""Characters of an answer that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptAnswer:
    """The answer of a script on one side."""

    text: str
    """What it has printed, or the first line of the error."""
    failed: bool = False
    line: int | None = None
    """The line of the script that failed; ``None`` if none did, or if that is not known."""

    def __str__(self) -> str:
        text = self.text if len(self.text) <= _LONGEST else f"{self.text[:_LONGEST]} ..."
        return f"fails: {text}" if self.failed else text or "prints nothing"


def is_confirmed(script: str, before: ScriptAnswer, after: ScriptAnswer) -> bool:
    """Whether a script works before the change, and fails or answers otherwise after it.

    A table that cannot be made confirms nothing: the lines of ``script`` up to an empty one make it.
    """
    table, end, _ = script.partition("\n\n")
    last = table.count("\n") + 1 if end else 0
    if before.failed or (after.failed and (after.line is None or after.line <= last)):
        return False
    return (before.text, before.failed) != (after.text, after.failed)


class Witnesses:
    """Writes the witnesses of a run to a folder, which messages name as ``shown``, and runs them in one process."""

    def __init__(self, folder: Path, shown: str) -> None:
        self._folder = folder
        self._shown = Path(shown)
        self._runner = Runner()

    def close(self) -> None:
        """End the process in which scripts run."""
        self._runner.close()

    def of(self, finding: CompatibilityFinding, old: TableState, new: TableState | None) -> Witness | None:
        """Return what shows a finding; ``None`` for one that is not judged."""
        if finding.verdict == "not judged":
            return None
        script = witness_of(finding, old, new)
        if isinstance(script, NoScript):
            return Witness(result="no witness", reason=script.reason)
        shown, path = (self._shown / script.file).as_posix(), self._folder / script.file
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(script.text, "utf-8")
        except OSError as error:
            return Witness(result="no witness", reason=f"{shown} cannot be written: {os_error_text(error)}")
        with step(f"running the witness {script.file}"):
            answers = self._runner.answers(path)
        if answers is None:
            return Witness(result="not run", file=shown, script=script.text, reason=self._runner.fault)
        before, after = answers
        result: WitnessResult = "confirmed" if is_confirmed(script.text, before, after) else "not confirmed"
        return Witness(
            result=result,
            file=shown,
            script=script.text,
            before=str(before),
            after=str(after),
            reason="" if result == "confirmed" else other_delta(installed().get("delta-spark", "")),
        )


def other_delta(version: str) -> str:
    """Return that verdicts are not those of an installed Delta; ``""`` if they are."""
    judged = ".".join(map(str, NEWEST))
    return "" if version.startswith(f"{judged}.") else f"as verdicts are those of Delta {judged}, and not of {version}"


_SHOWN = 3


def prepare_folder(folder: Path) -> None:
    """Make a folder for scripts, and remove those of an earlier run."""
    try:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            msg = f"{folder} is not a folder; name a new one"
            raise ConfigurationError(msg)
        others = sorted(str(path.relative_to(folder)) for path in _others(folder))
        if others:
            more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
            fact = f"{folder} holds files other than witnesses: {', '.join(others[:_SHOWN])}{more}"
            msg = f"{fact}; name a new folder, or an empty one"
            raise ConfigurationError(msg)
        for path in [*folder.glob("*/*.py")]:
            path.unlink()
        for path in [*folder.glob("*")]:
            path.rmdir()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"{folder} cannot be written: {os_error_text(error)}; name another folder"
        raise ConfigurationError(msg) from error


def _others(folder: Path) -> Iterator[Path]:
    """Yield what no run with witnesses has written."""
    for path in folder.glob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path
            continue
        for file in path.glob("*"):
            if file.is_symlink() or not file.is_file() or file.suffix != ".py" or not _is_witness(file):
                yield file


def _is_witness(file: Path) -> bool:
    with file.open(encoding="utf-8", errors="replace") as lines:
        return lines.readline().startswith(FIRST_LINE)


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
