"""``python -m pytest_delta_schema witness SCRIPT``: run a witness before the change and after it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.commands.failure import failed
from pytest_delta_schema.diagnostics.escaping import printed_line

if TYPE_CHECKING:
    import argparse

SUMMARY = "run a script of --delta-witness on local Delta, before the change and after it, and print both answers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "script", metavar="SCRIPT", help="the script, such as witnesses/dev.silver.orders/DC101-note.py"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print both answers, and return 0 if the script works before the change and answers otherwise after it."""
    from pytest_delta_schema.witness.runner import Runner  # noqa: PLC0415 - needs pyspark

    script = Path(arguments.script).absolute()
    if not script.is_file():
        return failed(f"{arguments.script} is not a file; give a script that --delta-witness has written")
    with Runner() as runner:
        answers = runner.answers(script)
        fault = runner.fault
    if answers is None:
        return failed(f"{arguments.script} was not run: {fault}")
    before, after = answers
    for side, answer in (("before", before), ("after", after)):
        sys.stdout.write(f"{printed_line(f'{side}: {answer}')}\n")
    return int(before.failed or str(before) == str(after))
