"""Run scripts in another process, which can be ended: a script that hangs costs a minute, and nothing else."""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.launch import installed
from pytest_delta_schema.backends.spark.compat import quiet_session
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.diagnostics.errors import ConfigurationError, StatementError, first_line, os_error_text
from pytest_delta_schema.diagnostics.faults import Witness
from pytest_delta_schema.execute.interruption import in_time
from pytest_delta_schema.progress import step
from pytest_delta_schema.witness.answers import ScriptAnswer, is_confirmed
from pytest_delta_schema.witness.jobs import CATALOG_NAME
from pytest_delta_schema.witness.script import FIRST_LINE, NoScript, witness_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession
    from typing_extensions import Self

    from pytest_delta_schema.compatibility.judging import CompatibilityFinding
    from pytest_delta_schema.diagnostics.faults import WitnessResult
    from pytest_delta_schema.state.states import TableState
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


def answers_of(spark: SparkSession, script: Path) -> tuple[ScriptAnswer, ScriptAnswer]:
    """Return the answers of a script before the change and after it."""
    return answer_of(spark, script, "before"), answer_of(spark, script, "after")


def answer_of(spark: SparkSession, script: Path, side: Side) -> ScriptAnswer:
    """Return the answer of a script on one side; its table is in a new folder, which is removed."""
    with tempfile.TemporaryDirectory(prefix="witness-", ignore_cleanup_errors=True) as folder:
        table = str(Path(folder, "table"))
        with quiet_session(spark):
            answer = _answer(script, side, table)
            for query in spark.streams.active:
                query.stop()
            spark.sql(f"DROP TABLE IF EXISTS {CATALOG_NAME}")
        return ScriptAnswer(text=answer.text.replace(table, "FOLDER"), failed=answer.failed, line=answer.line)


def _answer(script: Path, side: Side, table: str) -> ScriptAnswer:
    printed: list[str] = []
    arguments = sys.argv
    sys.argv = [str(script), side, table]
    try:
        with translate_errors():
            runpy.run_path(str(script), {"print": lambda *values: printed.append(" ".join(map(str, values)))})
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a script raises is its answer
        name = "" if isinstance(error, StatementError) else f"{type(error).__name__}: "
        return ScriptAnswer(text=f"{name}{first_line(error)}", failed=True, line=_failing_line(error, script))
    finally:
        sys.argv = arguments
    return ScriptAnswer(text="\n".join(printed))


def _failing_line(error: BaseException, script: Path) -> int | None:
    """Return the line of the script that raised an error, or the one that it was made from."""
    cause: BaseException | None = error
    while cause is not None:
        trace: Any = cause.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == str(script):
                return int(trace.tb_lineno)
            trace = trace.tb_next
        cause = cause.__context__
    return None


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
