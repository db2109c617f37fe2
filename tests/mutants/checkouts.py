"""Copies of the checkout to change, and the record of the tests that run a line."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import coverage

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
RECORDED = ("-m", "not spark", "-n2", "-q", "-p", "no:cacheprovider", "-p", "mutants.contexts")


@dataclass(frozen=True, slots=True)
class Recorded:
    """The tests that run each line."""

    data: coverage.CoverageData

    def tests_of(self, path: str, line: int) -> list[str]:
        """Return the node ids of the tests that run a line, those of the nearest files first.

        For a line that runs only on import, these are all tests of the folder that mirrors its package.
        """
        contexts = self.data.contexts_by_lineno(str(ROOT / path)).get(line, [])
        tests = [context for context in contexts if context]
        if tests:
            return nearest_first(path, tests)
        return [str(Path("tests", *Path(path).parts[1:2]))] if contexts else []


def nearest_first(path: str, tests: list[str]) -> list[str]:
    """Return node ids in the order in which they are likely to notice a change of a file: its own tests, its folder, others."""
    package, module = Path(path).parts[1], Path(path).stem

    def distance(test: str) -> tuple[bool, bool, str]:
        file = test.partition("::")[0]
        return module not in Path(file).stem, not file.startswith(f"tests/{package}/"), test

    return sorted(tests, key=distance)


def record_tests() -> Recorded:
    """Run the tests that need no JVM, and record the lines that each of them runs.

    Raises:
        SystemExit: If a test fails.
    """
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir()
    data, settings, output = WORK / "coverage", WORK / "coveragerc", WORK / "recorded.log"
    settings.write_text(SETTINGS.format(data=data))
    command = [str(PYTHON), "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest", *RECORDED]
    with output.open("wb") as log:
        code = subprocess.run(
            command,
            cwd=ROOT,
            env=environment(ROOT),
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if code:
        raise SystemExit(f"the tests fail without a change: see {output.relative_to(ROOT)}")
    recorded = coverage.Coverage(config_file=str(settings))
    recorded.combine()
    recorded.save()
    return Recorded(recorded.get_data())


def copies(count: int) -> list[Path]:
    """Return fresh copies of the files of the checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    files = [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    folders = [WORK / f"copy-{number}" for number in range(count)]
    for folder in folders:
        for name in files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    return folders


def environment(folder: Path) -> dict[str, str]:
    """Return the environment in which a checkout runs its own package, and not the installed one."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(folder / "tests")])}
