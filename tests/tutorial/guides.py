"""Install what a guide says in a fresh environment, and run its project: declarations pass, and a gate is not a usage error."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.delta import PAIRS
from support.pages import DOCS, steps, write_file
from tutorial.environment import variables, wheel
from tutorial.shell import Shell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.pages import Step

GUIDES = ("databricks", "unity-catalog")
"""The guides that install an extra of their own."""

_PACKAGE = "pytest-delta-schema["
_RUNS = {"pytest --snapshot-update": 0, "pytest --delta-drift": 1}
"""The commands, with their exit codes: the servers of the pages do not exist, so no table can be read."""


def installed(guide: str) -> Iterator[str]:
    """Follow the installation of a guide, and yield what went wrong.

    Args:
        guide: The name of its page, without the folder and the extension.
    """
    page = steps((DOCS / "guides" / f"{guide}.md").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        home = scratch / "home"
        home.mkdir()
        address = wheel(scratch).as_uri()
        for step in page:
            if step.kind == "file":
                write_file(step, home)
        with Shell(home, variables(PAIRS[-1], scratch)) as shell:
            for command in commands(page, address):
                ran = shell.run(command)
                expected = _RUNS.get(command, 0)
                if ran.code != expected:
                    yield f"{guide}: $ {command} ended with exit code {ran.code}:\n" + "\n".join(ran.lines[-20:])


def commands(page: list[Step], address: str) -> Iterator[str]:
    """Yield what a reader types: a new environment, the ``pip install`` lines of the page, and the runs.

    Args:
        page: The steps of the page.
        address: Where the wheel is.
    """
    yield "python -m venv .venv && . .venv/bin/activate"
    for step in page:
        for line in step.body.splitlines() if step.kind == "sh" else ():
            if line.startswith("pip install"):
                yield line.replace("]'", f"] @ {address}'") if _PACKAGE in line else line
    yield from _RUNS
