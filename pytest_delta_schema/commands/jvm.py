"""``python -m pytest_delta_schema jvm``: show or end the JVMs that ``--delta-keep-jvm`` keeps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.kept_jvm import (
    HolderGoneError,
    HolderRecord,
    NotKeptError,
    ask,
    end_of,
    read_record,
    record_paths,
    remove_record,
)
from pytest_delta_schema.commands.failure import failed
from pytest_delta_schema.diagnostics.text import printed_line

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

SUMMARY = "show or end the JVMs that runs with --delta-keep-jvm have kept"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "action",
        choices=("status", "stop"),
        help="status: show the kept JVM of each folder; stop: end them, except those that a run uses",
    )


def run(arguments: argparse.Namespace) -> int:
    """Show or end the JVMs, and remove the records of those that have ended.

    It returns the exit code: 1 if a JVM could not be ended, or a record not be read.
    """
    lines: list[str] = []
    faults: list[object] = []
    for path in record_paths():
        try:
            lines += _line(path, arguments.action, faults)
        except NotKeptError as error:
            faults.append(error)
    if not lines and not faults:
        lines.append("no JVM is kept")
    sys.stdout.write("".join(f"{printed_line(line)}\n" for line in lines))
    return failed(*faults)


def _line(path: Path, action: str, faults: list[object]) -> list[str]:
    """Return the line about the JVM of a record, none if it has ended.

    Faults get the reason if the JVM could not be ended.
    """
    record = read_record(path)
    if record is None:
        return []
    try:
        status = end_of(record) if action == "stop" else _status(record)
    except HolderGoneError:
        remove_record(path, record)
        return []
    if action == "status":
        return [f"{record.folder}: {_text(status)}"]
    if status["run"] is None:
        return [f"{record.folder}: the JVM with the process id {status['jvm']} was ended"]
    faults.append(f"{record.folder}: the run with the process id {status['run']} uses the JVM; end that run first")
    return []


def _status(record: HolderRecord) -> dict[str, Any]:
    channel, status = ask(record, {"want": "status"})
    channel.close()
    return status


def _text(status: dict[str, Any]) -> str:
    runs = f"{status['runs']} {'run' if status['runs'] == 1 else 'runs'} so far"
    jvm = f"JVM with the process id {status['jvm']}, {runs}"
    if status["run"] is not None:
        return f"{jvm}; used by the run with the process id {status['run']}"
    left = max(status["seconds"] - status["idle"], 0)
    return f"{jvm}; idle for {status['idle']:.0f} s, ends in {left:.0f} s"
