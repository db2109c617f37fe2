"""Runs of pytest in processes of their own, which are forked."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from support.forking import forked
from support.own_plugins import ALONE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

OUTPUT = "output.txt"
WITHOUT_WORKERS = (*ALONE, "-p", "no:xdist")
"""Options of runs that are neither workers nor have any."""
SECONDS = 180


def run_pytest(folder: Path, args: Sequence[str], environment: Mapping[str, str]) -> str:
    """Run pytest in a folder; return all that it wrote.

    Raises:
        TimeoutError: If it does not end.
    """
    process = forked(_main, str(folder), [*WITHOUT_WORKERS, *args], dict(environment))
    process.join(SECONDS)
    if process.is_alive():
        process.kill()
        process.join()
        msg = f"pytest did not end within {SECONDS} s"
        raise TimeoutError(msg)
    return (folder / OUTPUT).read_text("utf-8", "replace")


def _main(folder: str, args: list[str], environment: dict[str, str]) -> None:
    os.chdir(folder)
    os.environ.update(environment)
    output = os.open(OUTPUT, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.path[:] = [folder for folder in sys.path if folder]
    import pytest  # noqa: PLC0415 - loaded before the fork

    sys.exit(pytest.main(args))
