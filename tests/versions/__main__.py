"""Run all local scenarios, and those of the session backend, on each supported pair of pyspark and delta-spark.

``make test-versions`` runs every pair, and ``make test-versions PAIRS=spark35`` one of them. With ``COVERING=1`` a set of
scenarios that shows every kind of statement takes the place of all. The first run of a pair
makes an environment in ``.venv-versions``. What was run is recorded beside this file, and documented from there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.pairs import PAIRS
from support.covering import COVERING
from versions.environment import ROOT, environment
from versions.record import record

if TYPE_CHECKING:
    from pytest_delta_schema.backends.local.pairs import Pair

TESTS = (
    "tests/backends/local/test_scenarios.py",
    *(f"tests/backends/spark_session/test_session.py::{name}" for name in ("TestConnect", "TestClassic")),
)

COMPLETE = (0, 1)
"""The exit codes of pytest for runs that were not interrupted: all passed, or some failed."""


def options_of(pair: Pair) -> list[str]:
    """Return the options of pytest on a pair: older versions of pyspark leave sockets open, and warnings are errors."""
    return ["-p", "no:cacheprovider", *(["-W", "ignore::ResourceWarning"] if pair.spark < (4, 2) else [])]


def main(wanted: list[str]) -> int:
    """Run some pairs, or all, and return the exit code."""
    unknown = sorted(set(wanted) - {pair.extra for pair in PAIRS})
    if unknown:
        sys.stderr.write(f"there is no pair {', '.join(unknown)}; name some of {', '.join(p.extra for p in PAIRS)}\n")
        return 2
    failed = False
    for pair in PAIRS:
        if wanted and pair.extra not in wanted:
            continue
        sys.stdout.write(f"\n{pair.extra}: pyspark {pair.pyspark} with delta-spark {pair.delta_spark}\n")
        sys.stdout.flush()
        python = environment(pair)
        results = python.parents[1] / "results.xml"
        results.unlink(missing_ok=True)
        command = [str(python), "-m", "pytest", *options_of(pair), f"--junitxml={results}", *TESTS]
        started = datetime.now(timezone.utc)
        code = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False).returncode
        if code in COMPLETE and results.exists():
            record(pair, results, f"{started:%Y-%m-%d}", covering=COVERING)
        failed |= code != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
