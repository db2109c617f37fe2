"""The commands of ``delta-schema``, outside of a pytest run: their arguments, and what they do."""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema._lazy import NO_PYSPARK, lacks_pyspark
from pytest_delta_schema.backends.backend import find_backend
from pytest_delta_schema.backends.local.session import version_fault
from pytest_delta_schema.configuration.files import read_project_file
from pytest_delta_schema.configuration.report_targets import faults_of_reports, parse_target, report_files
from pytest_delta_schema.configuration.sources import from_sources
from pytest_delta_schema.diagnostics.errors import (
    BackendUnavailableError,
    DeltaSchemaError,
    JsonFormError,
    os_error_text,
)
from pytest_delta_schema.diagnostics.text import printed, printed_line
from pytest_delta_schema.progress import LOGGER, PHASE, LogLines, fitted
from pytest_delta_schema.report.codes import explained
from pytest_delta_schema.report.formats import EXTENSIONS, FORMATS, missing_packages
from pytest_delta_schema.report.json_report import TOOL, report_from_json, report_text, write_report
from pytest_delta_schema.report.run_report import merged_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.configuration.report_targets import ReportFile, ReportTarget
    from pytest_delta_schema.report.run_report import RunReport

PLATFORMS = ("github", "gitlab", "azure")
"""The CI systems of the command ``ci``."""

_SCHEMAS = {"report": "report/report.schema.json", "state": "state/state.schema.json"}

_INTERRUPTED = 130
"""The exit code of a program that Ctrl-C has ended."""

_EPILOG = """The main jobs are options of pytest:
  pytest                    check the declared tables and their SQL snapshots
  pytest --snapshot-update  accept the SQL of new and changed tables
  pytest --delta-drift      fail each table that differs from the catalog
  pytest --delta-apply      change the catalog until it matches"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit code."""
    values = _parser().parse_args(arguments)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="delta-schema", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], int], summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        added.set_defaults(run=run)
        return added

    command(
        "init",
        _init,
        "write the section of this package to pyproject.toml, where existing text is not changed, and an example model",
    )
    explain = command("explain", _explain, "print what codes mean, their remedies and examples")
    explain.add_argument("codes", nargs="+", metavar="CODE", help="a code such as DS206, or several with commas")
    command(
        "prepare",
        _prepare,
        "download the jars of Delta Lake, compile the classes of this package, and write the archive of the JVM's"
        " classes, so the first run of pytest finds them in the cache",
    )
    schema = command("schema", _schema, "print the JSON Schema (draft 2020-12) of a report, or of the state of a table")
    schema.add_argument("form", choices=_SCHEMAS, help="whose schema is printed")
    merge = command(
        "merge",
        _merge,
        "join the JSON reports of several runs into one, and write it in every format that a run writes",
    )
    merge.add_argument("files", nargs="+", metavar="FILE", help="a JSON report; of equal entries the later run counts")
    merge.add_argument("-o", "--output", metavar="FILE", help="write the JSON report here, not to standard output")
    merge.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="TYPE[:FILE]",
        help=f"write a report of another type, as --delta-report does; repeatable; types: {', '.join(FORMATS)}",
    )
    plan = command(
        "plan", _plan, "show the plan in a file that --delta-plan-out has written, also if it is stale or was applied"
    )
    plan.add_argument("file", metavar="FILE", help="the plan file")
    plan.add_argument("--format", choices=("text", "sql", "markdown"), default="text", help="text by default")
    translate = command(
        "translate",
        _translate,
        "write the tables of SQL scripts, of data contracts and of Python files as models, or as SQL",
    )
    translate.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a script of DDL statements, a data contract (.odcs.yaml), or a Python file (.py), which is run",
    )
    translate.add_argument("--to", choices=("models", "ddl"), required=True, help="what is written to standard output")
    translate.add_argument("--catalog", default="", metavar="NAME", help="the catalog of tables whose names have none")
    translate.add_argument("--schema", default="", metavar="NAME", help="the schema of tables whose names have none")
    translate.add_argument("--server", metavar="NAME", help="the server of data contracts that have several")
    translate.add_argument(
        "--skip-other",
        action="store_true",
        help="skip statements that declare nothing, such as INSERT and GRANT, with a note for each",
    )
    ci = command(
        "ci",
        _ci,
        "print the jobs review, against and drift for GitHub Actions, GitLab or Azure Pipelines",
    )
    ci.add_argument("platform", choices=PLATFORMS, help="the CI system")
    conformance = command(
        "conformance",
        _conformance,
        "run the scenarios of all backends in a schema of one's own, and write a report without names and hosts",
    )
    conformance.add_argument("--backend", required=True, help="the backend: local, session, unity, databricks, memory")
    conformance.add_argument("--schema", required=True, help="the schema of its tables, such as dev.scratch")
    conformance.add_argument(
        "--report", default="conformance.md", help="the file of the report; by default %(default)s"
    )
    conformance.add_argument("-k", dest="keyword", default="", help="only the scenarios that match, as for pytest")
    witness = command(
        "witness",
        _witness,
        "run a script of --delta-witness on local Delta, before the change and after it, and print both answers",
    )
    witness.add_argument(
        "script", metavar="SCRIPT", help="the script, such as witnesses/dev.silver.orders/DC101-note-readers.py"
    )
    return parser


def _failed(*reasons: object) -> int:
    """Write each reason to standard error, and return the exit code: 0 without a reason."""
    for reason in reasons:
        sys.stderr.write(f"error: {printed(reason)}\n")
    return 1 if reasons else 0


def _init(_arguments: argparse.Namespace) -> int:
    """Start a project where pytest, which knows its configuration, finds modules; return the exit code of pytest."""
    return _run_pytest("-p", "pytest_delta_schema.plugin.project_files")


def _run_pytest(*arguments: str, environment: Mapping[str, str] | None = None) -> int:
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603 - no shell


def _explain(arguments: argparse.Namespace) -> int:
    """Print the explanations, and return the exit code."""
    try:
        _print(f"{explained(arguments.codes, shutil.get_terminal_size().columns)}\n")
    except ValueError as error:
        return _failed(*str(error).splitlines())
    return 0


def _prepare(_arguments: argparse.Namespace) -> int:
    """Fill the cache, report the steps on standard error, and return the exit code."""
    logger, handler = logging.getLogger(LOGGER), _LineHandler()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        return _filled()
    finally:
        logger.removeHandler(handler)


def _filled() -> int:
    try:
        from pytest_delta_schema.engine.prepare import prepare  # noqa: PLC0415 - it needs pyspark

        folder = prepare()
    except ModuleNotFoundError as error:
        if not lacks_pyspark(error):
            raise
        return _failed(version_fault({}))
    except DeltaSchemaError as error:
        return _failed(error)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    sys.stdout.write(f"ready: {printed(folder)} has all that the local backend needs ({size:.0f} MB)\n")
    return 0


class _LineHandler(logging.Handler):
    """Writes log records to standard error, and those about a running step in one line if that is a terminal."""

    def __init__(self) -> None:
        super().__init__()
        self._log_lines = LogLines()

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record at once."""
        text = printed(record.getMessage())
        if sys.stderr.isatty():
            end = "" if getattr(record, PHASE, "end") == "running" else "\n"
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r{fitted(record, text, width):<{width}}{end}")
        elif self._log_lines.shows(record):
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def _schema(arguments: argparse.Namespace) -> int:
    """Print the JSON Schema of a form, and return the exit code."""
    sys.stdout.write(files("pytest_delta_schema").joinpath(_SCHEMAS[arguments.form]).read_text("utf-8"))
    return 0


_NAME_A_REPORT = "name a file that a run has written with --delta-report json"


def _merge(arguments: argparse.Namespace) -> int:
    """Join the reports, and write the result; nothing is written if there is a fault."""
    faults: list[str] = []
    output = [] if arguments.output is None else [f"json:{Path.cwd() / arguments.output}"]
    targets = report_files(_report_targets([*output, *arguments.report], faults), EXTENSIONS)
    faults += (*faults_of_reports(targets, EXTENSIONS), *missing_packages(targets))
    reports = [report for file in arguments.files if (report := _read_report(file, faults)) is not None]
    if faults:
        return _failed(*faults)
    merged = merged_report(reports)
    if not targets:
        _print(_harmless(report_text(merged)))
    return _failed(*_write_reports(targets, merged))


def _report_targets(texts: Iterable[str], faults: list[str]) -> list[ReportTarget]:
    targets = []
    for text in texts:
        try:
            targets.append(parse_target(text, tuple(FORMATS), Path.cwd()))
        except ValueError as error:
            faults.append(str(error))
    return targets


def _read_report(file: str, faults: list[str]) -> RunReport | None:
    """Return the report in a file; ``None`` if there is none, with the fault."""
    try:
        values = json.loads(Path(file).read_bytes(), parse_constant=_no_constant)
        if not _is_of_this_tool(values):
            faults.append(f"{file}: is not a report of {TOOL}; {_NAME_A_REPORT}")
            return None
        return report_from_json(values, file)
    except OSError as error:
        faults.append(f"{file}: cannot be read: {error.strerror or os_error_text(error)}; {_NAME_A_REPORT}")
    except JsonFormError as error:
        first, *others = error.diagnostics
        faults.append(f"{first} (and {len(others)} more)" if others else str(first))
    except (ValueError, RecursionError) as error:
        faults.append(f"{file}: is not valid JSON ({error}); {_NAME_A_REPORT}")
    return None


def _is_of_this_tool(values: Any) -> bool:
    tool = values.get("tool") if isinstance(values, dict) else None
    return isinstance(tool, dict) and tool.get("name") == TOOL


def _no_constant(name: str) -> None:
    msg = f"{name} is not a number"
    raise ValueError(msg)


def _write_reports(targets: Sequence[ReportFile], report: RunReport) -> list[str]:
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


def _plan(arguments: argparse.Namespace) -> int:
    """Print the plan, and return the exit code."""
    try:
        from pytest_delta_schema.engine.plan_file import read_plan  # noqa: PLC0415 - needs pyspark
        from pytest_delta_schema.report.review import PLAN_FORMATS  # noqa: PLC0415 - as above

        reviewed = read_plan(Path(arguments.file), arguments.file)
    except ModuleNotFoundError as error:
        if not lacks_pyspark(error):
            raise
        return _failed(NO_PYSPARK)
    except DeltaSchemaError as error:
        return _failed(error)
    _print(PLAN_FORMATS[arguments.format](reviewed))
    return 0


def _translate(arguments: argparse.Namespace) -> int:
    """Write the tables of all files together; nothing is written if there is a fault."""
    try:
        from pytest_delta_schema.commands.translate import translated  # noqa: PLC0415 - needs pyspark

        text, remarks = translated(
            arguments.files,
            arguments.to,
            arguments.catalog,
            arguments.schema,
            skip_other=arguments.skip_other,
            server=arguments.server,
        )
    except ModuleNotFoundError as error:
        if not lacks_pyspark(error):
            raise
        return _failed(NO_PYSPARK)
    except DeltaSchemaError as error:
        return _failed(*str(error).splitlines())
    for remark in remarks:
        sys.stderr.write(f"note: {printed_line(remark)}\n")
    sys.stdout.buffer.write(text.encode("utf-8"))
    return 0


def _ci(arguments: argparse.Namespace) -> int:
    """Print the file of a CI system for the settings of the project in this folder, and return the exit code."""
    values, _, faults = from_sources(project=read_project_file(Path.cwd()))
    if faults:
        return _failed(*faults)
    sys.stdout.write(ci_file(arguments.platform, values["backend"], values["unity_token_variable"]))
    return 0


_NO_CATALOG = ("local", "memory")
"""The backends whose catalogs are on the machine of a developer."""

_EXTRAS = ("unity", "locations")
"""The backends, besides that of Databricks, whose packages are an extra of their name."""

_DRIFT_PART = re.compile(r"^ *# begin drift\n(.*?)^ *# end drift\n", re.MULTILINE | re.DOTALL)
_ENVIRONMENT = re.compile(r"^ *env:\n(?: *DATABRICKS_.*\n)+", re.MULTILINE)


def ci_file(platform: str, backend: str, token_variable: str) -> str:
    """Return the file of a CI system: the jobs review and against, and drift if a runner can reach the catalog."""
    text = files("pytest_delta_schema").joinpath(f"commands/ci_files/{platform}.yml").read_text("utf-8")
    if backend in _NO_CATALOG:
        reason = f"# no job for --delta-drift: set backend to the one of a shared catalog, which is {backend} now\n"
        return reason + _DRIFT_PART.sub("", text)
    text = _DRIFT_PART.sub(r"\1", text)
    if backend == "databricks":
        return text
    text = text.replace("[spark,databricks,", f"[spark,{backend}," if backend in _EXTRAS else "[spark,")
    return _ENVIRONMENT.sub(partial(_environment, token_variable if backend == "unity" else ""), text)


def _environment(variable: str, found: re.Match[str]) -> str:
    """Return the variables of a step with that of a token instead of those of Databricks; nothing without a token."""
    head, _, token = found[0].splitlines(keepends=True)
    return f"{head}{token.replace('DATABRICKS_TOKEN', variable)}" if variable else ""


_CONFORMANCE_PLUGIN = "pytest_delta_schema.testing.conformance"
_CONFORMANCE_TESTS = "pytest_delta_schema.testing.conformance_tests"
_WORKSPACE_QUESTIONS = "pytest_delta_schema.testing.workspace_questions"
_SCHEMA_NAME = re.compile(r"[^.\s]+\.[^.\s]+")
_OWN_SETTINGS = ("addopts", "filterwarnings", "markers", "python_functions=test", "usefixtures", "xfail_strict=false")
"""Settings of pytest that a project may have set otherwise."""


def _conformance(arguments: argparse.Namespace) -> int:
    """Run pytest in the folder of the project, whose fixtures and settings only give the connection.

    It returns the exit code of pytest: 0 if every promise holds.
    """
    if _SCHEMA_NAME.fullmatch(arguments.schema) is None:
        return _failed(f"--schema {arguments.schema} is not a catalog and a schema; give it as dev.scratch")
    with suppress(BackendUnavailableError):  # which the run shows
        if find_backend(arguments.backend).only_reads:
            fault = f"the backend {arguments.backend} only reads tables, and a conformance run creates and changes some"
            return _failed(f"{fault}; give a backend that runs statements, such as session")
    chosen = conformance_arguments(
        arguments.backend, arguments.schema, report=arguments.report, keyword=arguments.keyword
    )
    environment = {key: value for key, value in os.environ.items() if key != "PYTEST_ADDOPTS"}
    return _run_pytest(*chosen, environment=environment)


def conformance_arguments(backend: str, schema: str, *, report: str, keyword: str = "") -> list[str]:
    """Return the arguments of pytest for a run.

    The schema is a catalog and a schema, such as ``dev.scratch``; the keyword is that of ``-k``, or empty.
    """
    own = [part for setting in _OWN_SETTINGS for part in ("-o", setting if "=" in setting else f"{setting}=")]
    arguments = [*own, "-p", _CONFORMANCE_PLUGIN, "-p", "no:cacheprovider", "-q", "--tb=short"]
    arguments += ["--rootdir=.", "--confcutdir=.", f"--delta-backend={backend}"]
    arguments += [f"--conformance-schema={schema}", f"--conformance-report={report}"]
    tests = [_CONFORMANCE_TESTS, *([_WORKSPACE_QUESTIONS] if backend == "databricks" else [])]
    return [*arguments, "-k", keyword, "--pyargs", *tests]


def _witness(arguments: argparse.Namespace) -> int:
    """Print both answers, and return 0 if the script works before the change and answers otherwise after it."""
    from pytest_delta_schema.witness.runner import Runner, is_confirmed  # noqa: PLC0415 - needs pyspark

    script = Path(arguments.script).absolute()
    try:
        text = script.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not text" if isinstance(error, UnicodeDecodeError) else error.strerror
        return _failed(f"{arguments.script} cannot be read: {reason}; name a script that --delta-witness has written")
    with Runner() as runner:
        answers = runner.answers(script)
        fault = runner.fault
    if answers is None:
        return _failed(f"{arguments.script} was not run: {fault}")
    for side, answer in zip(("before", "after"), answers, strict=True):
        sys.stdout.write(f"{printed_line(f'{side}: {answer}')}\n")
    result = is_confirmed(text, *answers)
    sys.stdout.write("confirmed\n" if result else "not confirmed\n")
    return int(not result)
