"""Run the tests with each supported version of pyspark and delta-spark, Python, pytest and syrupy.

``make test-versions`` runs all environments, and ``make test-versions VERSIONS='spark35 python312'`` some of them. A pair of
pyspark and delta-spark runs all scenarios of the local backend, a set of scenarios that covers the session backend, and a
sample of writes by statements; the other environments run the tests that need no JVM. With ``COVERING=1`` a set of scenarios that shows every kind of statement takes the place of all on the local
backend. The first run of an environment installs it in ``.venv-versions``. What was run is recorded beside this file, and
documented from there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from support.covering import COVERING
from versions.environments import ENVIRONMENTS, ROOT, EnvironmentMissingError, options_of, prepared
from versions.record import record, totals

if TYPE_CHECKING:
    from versions.environments import Environment

COMPLETE = (0, 1)
"""The exit codes of pytest for runs that were not interrupted: all passed, or some failed."""

INTERRUPTED = 130


def main(wanted: list[str]) -> int:
    """Run some environments, or all, show the result of each, and return the exit code.

    A run that fails, or an environment that cannot be made, does not keep the others from running.
    """
    unknown = sorted(set(wanted) - ENVIRONMENTS.keys())
    if unknown:
        sys.stderr.write(f"there is no environment {', '.join(unknown)}; name some of {', '.join(ENVIRONMENTS)}\n")
        return 2
    ends: dict[str, tuple[bool, str]] = {}
    chosen = [environment for name, environment in ENVIRONMENTS.items() if not wanted or name in wanted]
    code = 0
    try:
        for number, environment in enumerate(chosen, 1):
            _say(f"\n{environment.name}: {number} of {len(chosen)}")
            ends[environment.name] = _run(environment)
    except KeyboardInterrupt:
        code = INTERRUPTED
    _say("\nsummary")
    for environment in chosen:
        _, text = ends.get(environment.name, (False, "not run"))
        _say(f"  {environment.name:10}  {text}")
    return code or int(any(not passed for passed, _ in ends.values()))


def _run(environment: Environment) -> tuple[bool, str]:
    """Run the tests of an environment, and return whether all passed, and the result in words."""
    started = time.monotonic()
    try:
        python = prepared(environment)
    except EnvironmentMissingError as error:
        return False, f"not run: {error}"
    folder = python.parents[1]
    results = folder / "results.xml"
    results.unlink(missing_ok=True)
    command = [str(python), "-m", "pytest", *options_of(environment, folder), f"--junitxml={results}"]
    date = f"{datetime.now(timezone.utc):%Y-%m-%d}"
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False).returncode
    if code not in COMPLETE or not results.exists():
        return False, f"not complete: pytest ended with exit code {code}"
    counted = record(environment, python, results, date, covering=COVERING)
    return code == 0, f"{totals(counted)}, {(time.monotonic() - started) / 60:.0f} min"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
