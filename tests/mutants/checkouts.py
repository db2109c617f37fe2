"""The record of the tests that run a line, and copies of the checkout, in which these meet a change of the line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import coverage

if TYPE_CHECKING:
    from mutants.sample import Change

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv/bin/python"
WORK = ROOT / ".mutants"
SETTINGS = """
[run]
data_file = {data}
parallel = true
patch = subprocess
source = pytest_delta_schema
"""
OPTIONS = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not spark")

KILLED, SURVIVED, NOT_JUDGED = "killed", "survived", "not judged"
"""What became of a mutant; one whose line no test runs without a JVM is not judged."""

NEAREST = 150
"""The number of tests that run first: they notice nearly every change, and all would have to be collected."""

SECONDS = (60, 240)
"""How long the nearest tests, and all, may take; a change that makes them run longer is noticed."""


def record_tests() -> coverage.CoverageData:
    """Run the tests that need no JVM, which have to pass, and record the lines that each of them runs."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir()
    settings, output = WORK / "coveragerc", WORK / "recorded.log"
    settings.write_text(SETTINGS.format(data=WORK / "coverage"))
    command = [str(PYTHON), "-m", "coverage", "run", f"--rcfile={settings}", *OPTIONS, "-n2", "-p", "mutants.contexts"]
    with output.open("wb") as log:
        code = subprocess.run(command, cwd=ROOT, env=_environment(ROOT), stdout=log, stderr=log, check=False).returncode
    if code:
        raise SystemExit(f"the tests fail without a change: see {output.relative_to(ROOT)}")
    recorded = coverage.Coverage(config_file=str(settings))
    recorded.combine()
    recorded.save()
    return recorded.get_data()


def tests_of(recorded: coverage.CoverageData, path: str, line: int) -> list[str]:
    """Return the node ids of the tests that run a line, those of the nearest files first.

    For a line that runs only on import, these are all tests of the folder that mirrors its package.
    """
    contexts = recorded.contexts_by_lineno(str(ROOT / path)).get(line, [])
    tests = nearest_first(path, [context for context in contexts if context])
    return tests or ([str(Path("tests", *Path(path).parts[1:2]))] if contexts else [])


def nearest_first(path: str, tests: list[str]) -> list[str]:
    """Return node ids in the order in which they are likely to notice a change of a file: its own tests, its folder, others."""
    package, module = Path(path).parts[1], Path(path).stem

    def distance(test: str) -> tuple[bool, bool, str]:
        file = test.partition("::")[0]
        return module not in Path(file).stem, not file.startswith(f"tests/{package}/"), test

    return sorted(tests, key=distance)


def copies(count: int) -> list[Path]:
    """Return fresh copies of the files of the checkout."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    folders = [WORK / f"copy-{number}" for number in range(count)]
    for name in listed:
        for folder in folders if (ROOT / name).is_file() else ():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folders


def try_change(folder: Path, change: Change, tests: list[str]) -> str:
    """Run tests against a change in a copy of the checkout, and undo it; return what became of it."""
    if not tests:
        return NOT_JUDGED
    path = folder / change.path
    unchanged = path.read_bytes()
    path.write_text(change.code, encoding="utf-8")
    try:
        rounds = (tests[:NEAREST], tests[NEAREST:])
        fails = any(_fails(folder, chosen, seconds) for chosen, seconds in zip(rounds, SECONDS, strict=True) if chosen)
    finally:
        path.write_bytes(unchanged)
    return KILLED if fails else SURVIVED


def _fails(folder: Path, tests: list[str], seconds: int) -> bool:
    """Whether a test fails, or the tests do not end in time."""
    listed = folder / "tests-to-run.txt"
    listed.write_text("\n".join(tests), encoding="utf-8")
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            [str(PYTHON), *OPTIONS, "-x", f"@{listed}"],
            cwd=folder,
            # Python takes a module that changes within a second, and keeps its length, for the one that it has compiled.
            env={**_environment(folder), "PYTHONDONTWRITEBYTECODE": "1"},
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


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment in which a checkout runs its own package, and not the installed one."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(folder / "tests")])}
