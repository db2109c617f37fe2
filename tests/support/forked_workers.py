"""Workers of inner runs with xdist, which are forked."""

from __future__ import annotations

import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from execnet.gateway_base import Popen2IO

from support.forking import forked

if TYPE_CHECKING:
    from execnet.gateway_base import ExecModel


class ForkedWorker(Popen2IO):
    """The pipes to a worker, instead of ``execnet.gateway_io.Popen2IOMaster``."""

    def __init__(self, _command: list[str], execmodel: ExecModel) -> None:
        to_worker, from_worker = os.pipe(), os.pipe()
        ends = [Connection(end) for end in (to_worker[0], from_worker[1], os.dup(2))]
        self.process = forked(serve, ends, Path.cwd(), dict(os.environ))
        for end in ends:
            end.close()
        super().__init__(os.fdopen(to_worker[1], "wb"), os.fdopen(from_worker[0], "rb"), execmodel)

    def wait(self) -> int | None:
        self.process.join()
        return self.process.exitcode

    def kill(self) -> None:
        self.process.kill()


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
