"""Run scripts in a process of their own, with one session of local Delta: one line of JSON for each."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.start import open_session
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.witness.runner import answer_of

if TYPE_CHECKING:
    from typing import TextIO


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


if __name__ == "__main__":
    out = sys.stdout
    # What a script writes to the output of the process is not an answer.
    sys.stdout = sys.stderr
    serve(sys.stdin, out)
