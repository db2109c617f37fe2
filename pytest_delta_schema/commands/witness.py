"""``python -m pytest_delta_schema witness SCRIPT``: run a witness before the change and after it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.commands.failure import failed
from pytest_delta_schema.diagnostics.text import printed_line
from pytest_delta_schema.witness.answers import is_confirmed

if TYPE_CHECKING:
    import argparse

SUMMARY = "run a script of --delta-witness on local Delta, before the change and after it, and print both answers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "script", metavar="SCRIPT", help="the script, such as witnesses/dev.silver.orders/DC101-note-readers.py"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print both answers, and return 0 if the script works before the change and answers otherwise after it."""
    from pytest_delta_schema.witness.runner import Runner  # noqa: PLC0415 - needs pyspark

    script = Path(arguments.script).absolute()
    try:
        text = script.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not text" if isinstance(error, UnicodeDecodeError) else error.strerror
        return failed(f"{arguments.script} cannot be read: {reason}; name a script that --delta-witness has written")
    with Runner() as runner:
        answers = runner.answers(script)
        fault = runner.fault
    if answers is None:
        return failed(f"{arguments.script} was not run: {fault}")
    for side, answer in zip(("before", "after"), answers, strict=True):
        sys.stdout.write(f"{printed_line(f'{side}: {answer}')}\n")
    result = is_confirmed(text, *answers)
    sys.stdout.write("confirmed\n" if result else "not confirmed\n")
    return int(not result)
