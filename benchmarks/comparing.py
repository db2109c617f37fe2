"""Contracts compared with those in git, against a run that only checks declarations: whole pytest runs, in turn."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from contracts import ALL_PLUGINS, CONTRACTS, TABLES
from measure import Row, in_turn
from processes import run as run_python

if TYPE_CHECKING:
    from collections.abc import Iterator

CHANGED = f"""
from dataclasses import replace
from subjects import models
delta_tables = [replace(table, comment="changed") for table in models({TABLES})]
"""


def run() -> Iterator[Row]:
    """Yield the cost of a comparison in which every table has another comment than the released one."""
    with tempfile.TemporaryDirectory() as name:
        yield _against(Path(name))


def _against(project: Path) -> Row:
    def git(*arguments: str) -> None:
        author = ("-c", "user.name=a", "-c", "user.email=a")
        subprocess.run(["git", *author, *arguments], cwd=project, check=True)  # noqa: S607 - git is found on the path

    def run_tests(checks: int, *options: str) -> None:
        printed = run_python(project, *ALL_PLUGINS, *options, PYTEST_DISABLE_PLUGIN_AUTOLOAD="")
        assert f"{checks * TABLES} passed" in printed, printed

    (project / "pytest.ini").write_text("[pytest]\n")
    (project / "test_it.py").write_text(CONTRACTS)
    run_tests(2, "--snapshot-update")
    git("init", "--quiet")
    git("add", "test_it.py", "pytest.ini", "__snapshots__")
    git("commit", "--quiet", "--message=release")
    (project / "test_it.py").write_text(CHANGED)
    run_tests(2, "--snapshot-update")
    return Row(
        name=f"{TABLES:,} changed contracts compared with HEAD ({3 * TABLES:,} tests)",
        reference_name="their checks without the comparison",
        pairs=in_turn(lambda: run_tests(3, "--delta-against=HEAD"), lambda: run_tests(2)),
        limit=2.0,
    )
