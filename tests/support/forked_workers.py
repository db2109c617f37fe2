"""Workers of inner runs with xdist, as forks of a process that has loaded what all of them need.

A worker that Python starts takes most of a second, nearly all of it for imports.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from multiprocessing import (
    forkserver,
    popen_forkserver,  # noqa: F401 - an inner run would load it and forget it
)
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from execnet.gateway_base import Popen2IO

if TYPE_CHECKING:
    from execnet.gateway_base import ExecModel

TESTS = Path(__file__).parents[1]
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE_", "PYTEST_"))},
    "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent), *filter(None, [os.environ.get("PYTHONPATH")])]),
}
"""In which the process starts that forks: only this tells it where the packages are.

pytest looks for the modules of plugins in folders alone, and warns of those that an editable installation has loaded.
"""

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["support.preloaded"])


class ForkedWorker(Popen2IO):
    """The pipes to a worker, in place of ``execnet.gateway_io.Popen2IOMaster``."""

    def __init__(self, _command: list[str], execmodel: ExecModel) -> None:
        start_server()
        to_worker, from_worker = os.pipe(), os.pipe()
        ends = [Connection(end) for end in (to_worker[0], from_worker[1], os.dup(2))]
        self.process = FORKS.Process(target=serve, args=(ends, Path.cwd(), dict(os.environ)), daemon=True)
        self.process.start()
        for end in ends:
            end.close()
        super().__init__(os.fdopen(to_worker[1], "wb"), os.fdopen(from_worker[0], "rb"), execmodel)

    def wait(self) -> int | None:
        self.process.join()
        return self.process.exitcode

    def kill(self) -> None:
        self.process.kill()


def start_server() -> None:
    """Start the process that forks unless it runs, with nothing of the test that is the first to need it."""
    folder = Path.cwd()
    with mock.patch.dict(os.environ, ENVIRONMENT, clear=True):
        os.chdir(TESTS)
        try:
            forkserver.ensure_running()
        finally:
            os.chdir(folder)


def serve(ends: list[Connection], folder: Path, environment: dict[str, str]) -> None:
    """Be the process that execnet expects: it reads a line of Python, and executes it."""
    for number, end in enumerate(ends):
        os.dup2(end.fileno(), number)
        end.close()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin, sys.stdout = (os.fdopen(number, mode, closefd=False) for number, mode in enumerate("rw"))
    exec(eval(sys.stdin.readline()))  # noqa: S102, S307 - the protocol of execnet
