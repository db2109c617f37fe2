"""Run the tests of a line against a change of it."""

from __future__ import annotations

import os
import signal
import subprocess
from enum import Enum
from typing import TYPE_CHECKING

from mutants.checkouts import PYTHON, environment

if TYPE_CHECKING:
    from pathlib import Path

    from mutants.sample import Change

OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-m", "not spark")
NEAREST = 150
"""The number of tests that run first: they notice nearly every change, and all would have to be collected."""

SECONDS = (60, 240)
"""How long the nearest tests, and all, may take; a change that makes them run longer is noticed."""


class Verdict(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    NOT_JUDGED = "not judged"


def try_change(folder: Path, change: Change, tests: list[str]) -> Verdict:
    """Run tests against a change in a copy of the checkout, and undo it.

    A change whose line no test runs without a JVM is not judged.
    """
    if not tests:
        return Verdict.NOT_JUDGED
    path = folder / change.path
    unchanged = path.read_bytes()
    path.write_text(change.code, encoding="utf-8")
    try:
        rounds = (tests[:NEAREST], tests[NEAREST:])
        fails = any(_fails(folder, chosen, seconds) for chosen, seconds in zip(rounds, SECONDS, strict=True) if chosen)
    finally:
        path.write_bytes(unchanged)
    return Verdict.KILLED if fails else Verdict.SURVIVED


def _fails(folder: Path, tests: list[str], seconds: int) -> bool:
    """Whether a test fails, or the tests do not end in time."""
    listed = folder / "tests-to-run.txt"
    listed.write_text("\n".join(tests), encoding="utf-8")
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            [str(PYTHON), "-m", "pytest", *OPTIONS, f"@{listed}"],
            cwd=folder,
            # Python takes a module that changes within a second, and keeps its length, for the one that it has compiled.
            env={**environment(folder), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        return process.wait(seconds) != 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
