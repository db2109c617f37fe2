"""Run the gate in a job on Databricks: ``run_drift.py FOLDER``, with the folder of a volume for its reports."""

import sys
from pathlib import Path

import pytest


def main(folder: str) -> int:
    """Run the gate, and return its exit code.

    Args:
        folder: Where the reports are written.
    """
    # The sources of a job are read-only.
    sys.dont_write_bytecode = True
    project = Path(__file__).parent
    reports = [f"--delta-report=html:{folder}/drift.html", f"--delta-report=json:{folder}/drift.json"]
    return pytest.main(["--delta-drift", "-p", "no:cacheprovider", f"--rootdir={project}", *reports, str(project)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
