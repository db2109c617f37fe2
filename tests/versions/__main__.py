"""Run the tests with each supported version of pyspark and delta-spark, Python, pytest and syrupy.

``make test-versions`` runs all environments, and ``make test-versions VERSIONS='spark35 python312'`` some of them. With
``COVERING=1`` a set of scenarios that shows every kind of statement takes the place of all on the local backend. The first
run of an environment installs it in ``.venv-versions``. What was run is recorded in this folder, and documented from there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from support.covering import COVERING
from versions.environments import ENVIRONMENTS, ROOT, EnvironmentMissingError, options_of, prepared
from versions.record import record

if TYPE_CHECKING:
    from versions.environments import Environment


def main(wanted: list[str]) -> int:
    """Run some environments, or all; one that fails, or cannot be made, does not keep the others from running."""
    unknown = sorted(set(wanted) - ENVIRONMENTS.keys())
    if unknown:
        sys.stderr.write(f"there is no environment {', '.join(unknown)}; name some of {', '.join(ENVIRONMENTS)}\n")
        return 2
    ends = dict.fromkeys(wanted or ENVIRONMENTS, (False, "not run"))
    try:
        for number, name in enumerate(ends, 1):
            _say(f"\n{name}: {number} of {len(ends)}")
            ends[name] = _run(ENVIRONMENTS[name])
    except KeyboardInterrupt:
        _say("\ninterrupted")
    _say("\nsummary")
    for name, (_, text) in ends.items():
        _say(f"  {name:10}  {text}")
    return int(not all(has_passed for has_passed, _ in ends.values()))


def _run(environment: Environment) -> tuple[bool, str]:
    """Run the tests of an environment, and return whether all passed, and the result in words."""
    started = time.monotonic()
    try:
        python = prepared(environment)
    except EnvironmentMissingError as error:
        return False, f"not run: {error}"
    results = python.parents[1] / "results.xml"
    results.unlink(missing_ok=True)
    command = [str(python), "-m", "pytest", *options_of(environment, python.parents[1]), f"--junitxml={results}"]
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False).returncode
    # With 0 all have passed, with 1 some have failed; other runs were interrupted.
    if code not in (0, 1) or not results.exists():
        return False, f"not complete: pytest ended with exit code {code}"
    counted = record(environment, python, results, covering=COVERING)
    return code == 0, f"{counted}, {(time.monotonic() - started) / 60:.0f} min"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
