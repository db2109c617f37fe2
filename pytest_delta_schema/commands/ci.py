"""``python -m pytest_delta_schema ci``: print the file with which a CI system runs the gate."""

from __future__ import annotations

import sys
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

SUMMARY = "print the file with which GitHub Actions, GitLab or Azure Pipelines runs the gate"

PLATFORMS = ("github", "gitlab", "azure")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("platform", choices=PLATFORMS, help="the CI system")


def run(arguments: argparse.Namespace) -> int:
    """Print the file, and return the exit code."""
    file = files("pytest_delta_schema").joinpath(f"commands/ci_files/{arguments.platform}.yml")
    sys.stdout.write(file.read_text("utf-8"))
    return 0
