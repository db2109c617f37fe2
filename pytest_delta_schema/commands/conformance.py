"""``python -m pytest_delta_schema conformance``: prove the promises of a backend on a catalog of one's own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from pytest_delta_schema.commands.failure import failed

if TYPE_CHECKING:
    import argparse

SUMMARY = "run the scenarios of all backends in a schema of one's own, and write a report without names and hosts"

_PLUGIN = "pytest_delta_schema.testing.conformance"
_TESTS = "pytest_delta_schema.testing.conformance_tests"
_NAME = re.compile(r"[^.\s]+\.[^.\s]+")
_OWN = ("addopts", "filterwarnings", "markers", "python_functions=test", "usefixtures", "xfail_strict=false")
"""Settings of pytest that a project may have set otherwise."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--backend", required=True, help="the backend: local, session, unity, databricks, memory")
    parser.add_argument("--schema", required=True, help="the schema of its tables, such as dev.scratch")
    parser.add_argument("--report", default="conformance.md", help="the file of the report; by default %(default)s")
    parser.add_argument("-k", dest="keyword", default="", help="only the scenarios that match, as for pytest")


def run(arguments: argparse.Namespace) -> int:
    """Run pytest in the folder of the project, whose fixtures and settings only give the connection.

    It returns the exit code of pytest: 0 if every promise holds.
    """
    if _NAME.fullmatch(arguments.schema) is None:
        return failed(f"--schema {arguments.schema} is not a catalog and a schema; give it as dev.scratch")
    chosen = pytest_arguments(arguments.backend, arguments.schema, report=arguments.report, keyword=arguments.keyword)
    environment = {key: value for key, value in os.environ.items() if key != "PYTEST_ADDOPTS"}
    return subprocess.run([sys.executable, "-m", "pytest", *chosen], env=environment, check=False).returncode  # noqa: S603 - no shell


def pytest_arguments(backend: str, schema: str, *, report: str, keyword: str = "") -> list[str]:
    """Return the arguments of pytest for a run.

    The schema is a catalog and a schema, such as ``dev.scratch``; the keyword is that of ``-k``, or empty.
    """
    own = [part for setting in _OWN for part in ("-o", setting if "=" in setting else f"{setting}=")]
    arguments = [*own, "-p", _PLUGIN, "-p", "no:cacheprovider", "-q", "--tb=short"]
    arguments += ["--rootdir=.", "--confcutdir=.", f"--delta-backend={backend}"]
    arguments += [f"--conformance-schema={schema}", f"--conformance-report={report}"]
    return [*arguments, "-k", keyword, "--pyargs", _TESTS]
