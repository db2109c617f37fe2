"""``python -m pytest_delta_schema``: what all commands have in common."""

from __future__ import annotations

import os
import subprocess
import sys


def test_a_reader_that_stops_early_is_no_traceback():
    reading, writing = os.pipe()
    os.close(reading)

    with os.fdopen(writing, "wb") as pipe:
        command = [sys.executable, "-m", "pytest_delta_schema", "schema", "report"]
        answer = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)

    assert (answer.returncode, answer.stderr) == (1, "")


def test_commands_are_ready_without_pyspark_and_pytest():
    text = "import sys; from pytest_delta_schema.commands.cli import main; print({'pyspark', 'pytest', 'syrupy'} & {*sys.modules})"

    answer = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)

    assert answer.stdout == "set()\n"


def test_the_help_names_the_options_of_pytest_for_the_main_jobs():
    answer = subprocess.run(
        [sys.executable, "-m", "pytest_delta_schema", "--help"], capture_output=True, text=True, check=True
    )

    named = [line.split("  ")[1] for line in answer.stdout.splitlines() if line.startswith("  pytest")]
    assert named == [
        "pytest",
        "pytest --snapshot-update",
        "pytest --delta-drift",
        "pytest --delta-apply",
        "pytest --delta-init",
    ]
