"""The key of a kept JVM: a hash of all that it depends on, so a run which differs in it starts a new JVM."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.session.launch_resources import CLASS_PATH
from pytest_delta_schema.backends.local.session.supported_versions import installed
from pytest_delta_schema.backends.spark.compat.pyspark_compat import spark_home

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

OF_TERMINAL = frozenset(
    {
        "_", "COLORTERM", "COLUMNS", "FORCE_COLOR", "GPG_TTY", "LINES", "NO_COLOR", "OLDPWD", "PYTEST_ADDOPTS",
        "PYTEST_CURRENT_TEST", "SHLVL", "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "STY", "TERM", "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "TMUX", "TMUX_PANE", "WINDOW", "WINDOWID",
    }
)  # fmt: skip
"""Variables that differ between terminals and between runs, and that neither Java nor Spark reads."""

_NOT_IN_KEY = ("spark.sql.catalog.", CLASS_PATH)
"""Settings that each session brings itself, and the class path, whose files are part of the key."""


def key_of(
    conf: Mapping[str, str], class_path: Sequence[Path], options: str, environment: Mapping[str, str] = os.environ
) -> str:
    """Return the key of a JVM.

    Settings of catalogs are left out, which depend on the tests that are selected. Sizes and times of the jars are part
    of the key. The options are without those of the archive of classes.
    """
    parts = {
        "conf": {name: value for name, value in conf.items() if not _is_left_out(name)},
        "jars": [[str(jar), jar.stat().st_size, jar.stat().st_mtime_ns] for jar in class_path],
        "options": options,
        "spark": [str(spark_home()), (spark_home() / "jars").stat().st_mtime_ns, *map(str, installed().values())],
        "python": [sys.version, sys.executable, sys.prefix],
        "package": [version("pytest-delta-schema"), version("py4j")],
        "environment": {name: value for name, value in environment.items() if name not in OF_TERMINAL},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _is_left_out(name: str) -> bool:
    return name.startswith(_NOT_IN_KEY) and name != "spark.sql.catalog.spark_catalog"
