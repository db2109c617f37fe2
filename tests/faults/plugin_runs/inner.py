"""Runs of pytest in their own processes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from support.own_plugins import ALONE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

WITHOUT_WORKERS = (*ALONE, "-p", "no:xdist")
"""Options of runs that are neither workers nor have any."""
SECONDS = 180


def run_pytest(folder: Path, args: Sequence[str], environment: Mapping[str, str]) -> str:
    """Run pytest in a folder; return all that it wrote.

    Raises:
        TimeoutExpired: If it does not end.
    """
    outer = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE_", "PYTEST_"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *WITHOUT_WORKERS, *args],
        cwd=folder,
        env={**outer, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=SECONDS,
        check=False,
    ).stdout
