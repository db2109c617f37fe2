"""``python -m pytest_delta_schema schema``: print the JSON Schema of a JSON form."""

from __future__ import annotations

import sys
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

SUMMARY = "print the JSON Schema (draft 2020-12) of a report, or of the state of a table"

_FILES = {"report": "report/report.schema.json", "state": "state/state.schema.json"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("form", choices=_FILES, help="whose schema is printed")


def run(arguments: argparse.Namespace) -> int:
    """Print the schema, and return the exit code."""
    sys.stdout.write(files("pytest_delta_schema").joinpath(_FILES[arguments.form]).read_text("utf-8"))
    return 0
