"""Processes of tests, forked from one that has loaded what runs of pytest need: Python takes most of a second for it."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing import (
    forkserver,
    popen_forkserver,  # noqa: F401 - an inner run would load it and forget it
)
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.process import BaseProcess

TESTS = Path(__file__).parents[1]
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE_", "PYTEST_"))},
    "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent), *filter(None, [os.environ.get("PYTHONPATH")])]),
}
"""In which the process starts that forks: only this tells it where the packages are.

pytest looks for the modules of plugins in folders alone, and warns of those that an editable installation has loaded.
"""

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["support.forkserver_preload"])


def forked(target: Callable[..., None], *args: Any) -> BaseProcess:
    """Start a process that calls a function.

    Args:
        target: The function, of a module that can be imported.
        args: Its arguments.
    """
    _start_server()
    process = _FORKS.Process(target=target, args=args, daemon=True)
    process.start()
    return process


def _start_server() -> None:
    """Start the process that forks unless it runs, with nothing of the test that is the first to need it."""
    folder = Path.cwd()
    with mock.patch.dict(os.environ, ENVIRONMENT, clear=True):
        os.chdir(TESTS)
        try:
            forkserver.ensure_running()
        finally:
            os.chdir(folder)
