"""Find the Java runtime that Spark will use."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pytest_delta_schema.backends.local.session.subprocesses import run
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, os_error_text

OLDEST = 17
"""Oldest Java that Spark 4 runs on (source: Spark's documentation)."""

_PATIENCE = 30.0
"""Seconds to wait for the version of Java; it usually takes a tenth of one."""

_LONGEST = 120
"""Characters of the output that a message shows."""


class Java(NamedTuple):
    """A Java runtime: its program, and the whole output of its version."""

    program: str
    version: str


def find_java() -> Java:
    """Find the Java that Spark's launcher uses: ``JAVA_HOME`` first, then the search path.

    Raises:
        BackendUnavailableError: If there is none, it does not run or answer in time, or it is too old.
    """
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if program is None or shutil.which(program) is None:
        in_home = f"JAVA_HOME is {home}, but there is no program bin/java in it"
        raise BackendUnavailableError(_unfit(in_home if home else "there is no java on the PATH"))
    version = _ask(program)
    match = re.search(r'version "(\d+)', version)
    if match is None or int(match.group(1)) < OLDEST:
        lines = [line for line in version.splitlines() if "version" in line] or version.splitlines()
        answer = f"answers {lines[0][:_LONGEST]!r}" if lines else "does not print its version"
        raise BackendUnavailableError(_unfit(f"{program} {answer}"))
    return Java(program, version)


@lru_cache(maxsize=8)
def _ask(program: str) -> str:
    # Java prints its version on standard error.
    try:
        return run([program, "-version"], _PATIENCE).text
    except OSError as error:
        raise BackendUnavailableError(_unfit(f"{program} cannot be run: {os_error_text(error)}")) from error
    except subprocess.TimeoutExpired as error:
        fact = f"{program} did not print its version within {_PATIENCE:g} seconds"
        raise BackendUnavailableError(_unfit(fact)) from error


def _unfit(fact: str) -> str:
    return f"Spark needs Java {OLDEST} or newer, and {fact}; install a JRE {OLDEST} and set JAVA_HOME to its folder"
