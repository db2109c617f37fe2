"""``python -m pytest_delta_schema``: commands outside of a pytest run."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from pytest_delta_schema.commands import ci, conformance, jvm, merge, prepare, schema, translate, witness

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130
"""The exit code of a program that Ctrl-C has ended."""

_EPILOG = """The main jobs are options of pytest:
  pytest                    check the declared tables and their SQL snapshots
  pytest --snapshot-update  accept the SQL of new and changed tables
  pytest --delta-drift      fail each table that differs from the catalog
  pytest --delta-apply      change the catalog until it matches
  pytest --delta-init       write a configuration and an example model"""

_COMMANDS = {
    "prepare": prepare,
    "schema": schema,
    "merge": merge,
    "translate": translate,
    "jvm": jvm,
    "ci": ci,
    "conformance": conformance,
    "witness": witness,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m pytest_delta_schema", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command in _COMMANDS.items():
        summary = command.SUMMARY
        command_parser = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        command.add_arguments(command_parser)
        command_parser.set_defaults(run=command.run)
    values = parser.parse_args(arguments)
    try:
        code: int = values.run(values)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output at its end, too, and would show the error again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
