"""``python -m pytest_delta_schema merge``: join the JSON reports of several runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.commands.failure import failed
from pytest_delta_schema.configuration.report_targets import faults_of_reports, parse_target, report_files
from pytest_delta_schema.diagnostics.errors import JsonFormError, os_error_text
from pytest_delta_schema.diagnostics.text import printed
from pytest_delta_schema.report.formats import EXTENSIONS, FORMATS
from pytest_delta_schema.report.json_report import TOOL, report_from_json, report_text, write_report
from pytest_delta_schema.report.run_report import merged_report

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.configuration.report_targets import ReportFile, ReportTarget
    from pytest_delta_schema.report.run_report import RunReport

SUMMARY = "join the JSON reports of several runs into one, and write it in every format that a run writes"

_WRITE_ONE = "name a file that a run has written with --delta-report json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a JSON report; of equal entries the later run counts")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the JSON report here, not to standard output")
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="TYPE[:FILE]",
        help=f"write a report of another type, as --delta-report does; repeatable; types: {', '.join(FORMATS)}",
    )


def run(arguments: argparse.Namespace) -> int:
    """Join the reports, and write the result; nothing is written if there is a fault."""
    faults: list[str] = []
    output = [] if arguments.output is None else [f"json:{Path.cwd() / arguments.output}"]
    targets = report_files(_targets([*output, *arguments.report], faults), EXTENSIONS)
    faults += faults_of_reports(targets, EXTENSIONS)
    reports = [report for file in arguments.files if (report := _read(file, faults)) is not None]
    if faults:
        return failed(*faults)
    merged = merged_report(reports)
    if not targets:
        _print(_harmless(report_text(merged)))
    return failed(*_written(targets, merged))


def _targets(texts: Iterable[str], faults: list[str]) -> list[ReportTarget]:
    targets = []
    for text in texts:
        try:
            targets.append(parse_target(text, tuple(FORMATS), Path.cwd()))
        except ValueError as error:
            faults.append(str(error))
    return targets


def _read(file: str, faults: list[str]) -> RunReport | None:
    """Return the report in a file; ``None`` if there is none, with the fault."""
    try:
        values = json.loads(Path(file).read_bytes(), parse_constant=_no_constant)
        if not _is_of_this_tool(values):
            faults.append(f"{file}: is not a report of {TOOL}; {_WRITE_ONE}")
            return None
        return report_from_json(values, file)
    except OSError as error:
        faults.append(f"{file}: cannot be read: {error.strerror or os_error_text(error)}; {_WRITE_ONE}")
    except JsonFormError as error:
        first, *others = error.diagnostics
        faults.append(f"{first} (and {len(others)} more)" if others else str(first))
    except (ValueError, RecursionError) as error:
        faults.append(f"{file}: is not valid JSON ({error}); {_WRITE_ONE}")
    return None


def _is_of_this_tool(values: Any) -> bool:
    tool = values.get("tool") if isinstance(values, dict) else None
    return isinstance(tool, dict) and tool.get("name") == TOOL


def _no_constant(name: str) -> None:
    msg = f"{name} is not a number"
    raise ValueError(msg)


def _written(targets: Sequence[ReportFile], report: RunReport) -> list[str]:
    """Write the reports, and return why some could not be written."""
    written = [write_report(target, report, Path.cwd()) for target in targets]
    for output in written:
        _print("".join(f"{line}\n" for line in (*output.lines, printed(output.message)) if line))
    return [output.fault for output in written if output.fault]


def _harmless(text: str) -> str:
    r"""Return JSON in which no log shows a command: ``##`` is in its strings only, and ``\u0023`` is the same there."""
    return text.replace("##", "#\\u0023")


def _print(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
