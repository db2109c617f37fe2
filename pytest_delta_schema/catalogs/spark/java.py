"""The Java that Spark will run on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pytest_delta_schema.errors import BackendError

OLDEST = 17
"""Oldest Java that Spark 4 runs on (source: Spark's documentation)."""


class Java(NamedTuple):
    """A Java runtime: its program and what it says of its version, the last line included."""

    program: str
    version: str


def find_java() -> Java:
    """Find the Java that Spark's launcher would take: ``JAVA_HOME`` first, then the search path.

    Raises:
        BackendError: If there is none, or it is too old.
    """
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if program is None or shutil.which(program) is None:
        where = f"JAVA_HOME is {home}, but there is no bin/java in it" if home else "there is no java on the PATH"
        msg = f"Spark needs Java {OLDEST} or newer, and {where}; install a JRE {OLDEST} and set JAVA_HOME to its folder"
        raise BackendError(msg)
    version = _ask(program)
    match = re.search(r'version "(\d+)', version)
    if match is None or int(match.group(1)) < OLDEST:
        found = version.splitlines()[0] if version else "a Java that does not tell its version"
        msg = f"Spark needs Java {OLDEST} or newer, and {program} is {found}; install a JRE {OLDEST} and set JAVA_HOME"
        raise BackendError(msg)
    return Java(program, version)


@lru_cache(maxsize=8)
def _ask(program: str) -> str:
    # Java prints its version on standard error.
    answer = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
    return answer.stderr.strip()
