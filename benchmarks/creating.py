"""An apply that creates many local tables, from process start to summary: the start of the JVM is in it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from measure import Row, in_turn
from processes import WITH_PLUGIN, program
from processes import run as run_python

from pytest_delta_schema.backends.local.launch import delta_jars

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES, PLAIN_TABLES = 200, 50

MODELS = f"""
from small_tables import keyed_table
tables = [keyed_table(number) for number in range({TABLES})]
"""
APPLY = (*WITH_PLUGIN, "models.py", "--delta-apply", "-m", "delta_apply")


def run() -> Iterator[Row]:
    """Yield the time for each table."""
    jars = ",".join(map(str, delta_jars()))
    pairs = in_turn(_apply, lambda: _plainly(jars), time.perf_counter)
    yield Row(
        name=f"creating one of {TABLES} local tables with a primary key, in an apply",
        reference_name=f"one of {PLAIN_TABLES} by plain statements, without this package",
        pairs=[(apply / TABLES, plain / PLAIN_TABLES) for apply, plain in pairs],
        limit=0.16,
    )


def _apply() -> None:
    """Run pytest on an empty warehouse."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "models.py").write_text(MODELS)
        (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
        (folder / "pyproject.toml").write_text('[tool.pytest_delta_schema]\nmodels = ["models"]\n')
        printed = run_python(folder, *APPLY)
    assert f"apply: {TABLES} applied, " in printed, printed


def _plainly(jars: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        program("create_plainly", jars, folder, PLAIN_TABLES)
