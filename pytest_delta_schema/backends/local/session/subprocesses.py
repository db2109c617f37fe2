"""Run programs for a short time: with a time limit, output in any encoding, and no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Result(NamedTuple):
    """The standard error of a program, and its exit code."""

    code: int
    text: str


def run(command: Sequence[str], seconds: float) -> Result:
    """Run a program and return its standard error; its standard output is discarded.

    After ``seconds`` the program and the processes that it has started are killed.

    Raises:
        OSError: If it is not a program.
        subprocess.TimeoutExpired: If it takes longer.
    """
    process = subprocess.Popen(  # noqa: S603 - a Java that the user has chosen
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output = process.communicate(timeout=seconds)[1]
    except BaseException:
        _kill(process)
        raise
    return Result(process.returncode, output.decode("utf-8", errors="replace").strip())


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and, where the system has process groups, the processes that it has started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):  # it has just ended
            os.killpg(process.pid, signal.SIGKILL)
    else:  # pragma: no cover - Windows
        process.kill()
    process.wait()
    if process.stderr is not None:
        process.stderr.close()
