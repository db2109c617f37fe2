"""Run a script in a session of local Delta, before the change or after it."""

from __future__ import annotations

import runpy
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.compat.pyspark_compat import quiet_session
from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.witness.answers import ScriptAnswer
from pytest_delta_schema.witness.writer_jobs import CATALOG_NAME

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pytest_delta_schema.witness.answers import Side


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
