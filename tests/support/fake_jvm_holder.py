"""A holder in a thread of the tests, whose JVM is a small program."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.jvm_holder import HeldJvm, Holder
from pytest_delta_schema.backends.local.kept_jvm import private_folder, record_path
from pytest_delta_schema.backends.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENDS_WITH_ITS_INPUT = "import sys; sys.stdin.read()"
IGNORES_ITS_INPUT = "import time; time.sleep(600)"
JVM_SECRET = "secret-of-py4j"  # noqa: S105 - of a small program


class Held:
    """A running holder.

    Args:
        folder: The working folder.
        seconds: How long its JVM may be idle.
        program: The program that runs instead of the JVM.
    """

    def __init__(self, folder: Path, seconds: float, program: str) -> None:
        private_folder()
        self.process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE)
        jvm = HeldJvm(process=self.process, port=4040, secret=Secret(JVM_SECRET))
        self.path = record_path(folder)
        self.holder = Holder(jvm, self.path, folder=str(folder), key="key", seconds=seconds)
        self.record = self.holder.record
        ready = Event()
        self._thread = Thread(target=self.holder.serve, args=[ready.set], daemon=True)
        self._thread.start()
        assert ready.wait(30)

    def wait(self) -> None:
        """Wait until the holder has ended, and with it the JVM."""
        self._thread.join(30)
        assert not self._thread.is_alive()
        assert self.process.poll() is not None
        assert not self.path.exists()


@contextmanager
def holding(folder: Path, seconds: float = 600, program: str = ENDS_WITH_ITS_INPUT) -> Iterator[Held]:
    """Run a holder in the block, and end its JVM, and with it the holder, after it.

    Args:
        folder: The working folder.
        seconds: How long its JVM may be idle.
        program: The program that runs instead of the JVM.
    """
    held = Held(folder, seconds, program)
    try:
        yield held
    finally:
        held.process.kill()
        held.wait()
