"""Run scripts in a process of their own, with one session of local Delta, and answer each by a line of JSON."""

from __future__ import annotations

import json
import runpy
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.start import open_session
from pytest_delta_schema.backends.spark.compat import quiet_session
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError, first_line
from pytest_delta_schema.witness.jobs import CATALOG_NAME
from pytest_delta_schema.witness.runner import ScriptAnswer

if TYPE_CHECKING:
    from typing import TextIO

    from pyspark.sql import SparkSession

    from pytest_delta_schema.witness.runner import Side


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer each line, which is the path of a script and a side, until there are no more."""
    with tempfile.TemporaryDirectory(prefix="witness-", ignore_cleanup_errors=True) as warehouse:
        try:
            session = open_session(warehouse)
        except BackendUnavailableError as error:
            _write(answers, {"fault": str(error)})
            return
        with session:
            _write(answers, {"fault": ""})
            for line in requests:
                script, side = json.loads(line)
                answer = answer_of(session.spark, Path(script), side)
                _write(answers, {"text": answer.text, "failed": answer.failed, "line": answer.line})


def _write(answers: TextIO, value: object) -> None:
    answers.write(f"{json.dumps(value)}\n")
    answers.flush()


def answers_of(spark: SparkSession, script: Path) -> tuple[ScriptAnswer, ScriptAnswer]:
    """Return the answers of a script before the change and after it."""
    return answer_of(spark, script, "before"), answer_of(spark, script, "after")


def answer_of(spark: SparkSession, script: Path, side: Side) -> ScriptAnswer:
    """Return the answer of a script on one side; it has a new folder, which is removed."""
    with tempfile.TemporaryDirectory(prefix="witness-", ignore_cleanup_errors=True) as folder:
        new = str(Path(folder, "new"))
        with quiet_session(spark):
            answer = _answer(script, side, new)
            for query in spark.streams.active:
                query.stop()
            spark.sql(f"DROP TABLE IF EXISTS {CATALOG_NAME}")
        return ScriptAnswer(text=answer.text.replace(new, "FOLDER"), failed=answer.failed, line=answer.line)


def _answer(script: Path, side: Side, folder: str) -> ScriptAnswer:
    printed: list[str] = []
    arguments = sys.argv
    sys.argv = [str(script), side, folder]
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


if __name__ == "__main__":
    out = sys.stdout
    # What a script writes to the output of the process is not an answer.
    sys.stdout = sys.stderr
    serve(sys.stdin, out)
