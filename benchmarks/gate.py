"""A gate over local tables in sync, from process start to summary; no JVM is started."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import local
from measure import ROUNDS, of_limit
from pytest_runs import PLUGINS, environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Ratio

LIMITS = {1: 1.5, 200: 3.0, 1000: 6.0}
"""The seconds that a gate may take, by its number of tables."""

MODELS = f"""
import os
{local.TABLE}
tables = [table(number) for number in range(int(os.environ["TABLES"]))]
"""
GATE = ("-m", "pytest", "models.py", "--delta-drift", "-m", "delta_drift", "-q", *PLUGINS)


def run() -> Iterator[Ratio]:
    """Yield the time of each gate."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "models.py").write_text(MODELS)
        (folder / "pytest.ini").write_text("[pytest]\ndelta_models = models\npythonpath = .\n")
        local.python(local.MAKE, folder / ".delta-warehouse")
        schema = folder / ".delta-warehouse" / "dev" / "silver"
        for number in range(1, max(LIMITS)):
            shutil.copytree(schema / "table_0", schema / f"table_{number}")
        for tables, limit in LIMITS.items():
            took = statistics.median(seconds(folder, tables) for _ in range(ROUNDS))
            yield of_limit(f"a gate over {tables:,} local table{'s' * (tables > 1)}, no JVM", took, limit)


def seconds(folder: Path, tables: int) -> float:
    """Run pytest on a number of tables, and return how long the process took."""
    start = time.perf_counter()
    # A start of Spark would fail.
    variables = environment(TABLES=str(tables), JAVA_HOME="/nowhere")
    answer = subprocess.run(
        [sys.executable, *GATE], cwd=folder, env=variables, capture_output=True, text=True, check=True
    )
    assert f"drift: {tables} in sync, 0 statements run" in answer.stdout, answer.stdout
    return time.perf_counter() - start
