"""End an apply on SIGTERM as on Ctrl-C, within a time limit, and raise the signal again after it."""

from __future__ import annotations

import os
import signal
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_HANDLED = frozenset({signal.SIGINT, signal.SIGTERM})


class Termination:
    """Turns SIGTERM into a ``KeyboardInterrupt``, while it is installed.

    The process ends ``limit`` seconds after the signal, whatever it is doing, and ``at_limit`` is called first.
    ``on_signal`` is called at once with each SIGINT and SIGTERM, and must not raise. Both are called by another thread.
    """

    def __init__(self, limit: float, on_signal: Callable[[int], None], at_limit: Callable[[], None]) -> None:
        self.is_signalled = False
        self._limit = limit
        self._on_signal = on_signal
        self._at_limit = at_limit
        self._over = threading.Event()
        self._earlier: Callable[[int, FrameType | None], object] | int | None = None

    def install(self) -> None:
        """Install the handler; not outside of the main thread, and not where the signal is ignored."""
        earlier = signal.getsignal(signal.SIGTERM)
        if threading.current_thread() is not threading.main_thread() or earlier in (None, signal.SIG_IGN):
            return
        self._earlier = earlier
        self._watched, self._waking = socket.socketpair()
        self._waking.settimeout(0)
        # The interpreter writes to the socket even while the main thread is stuck in a call that is not Python's.
        self._other_fd = signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        if self._other_fd != -1:
            signal.set_wakeup_fd(self._other_fd)
        threading.Thread(target=self._watch, name="pytest-delta-schema-watch", daemon=True).start()
        signal.signal(signal.SIGTERM, self._handle)

    def end(self) -> None:
        """Restore the earlier handler, and raise the signal again if it came."""
        if self._earlier is None:
            return
        earlier, self._earlier = self._earlier, None
        if signal.getsignal(signal.SIGTERM) == self._handle:
            signal.signal(signal.SIGTERM, earlier)
        if self._other_fd == -1:
            signal.set_wakeup_fd(-1)
        self._over.set()
        self._waking.close()
        if self.is_signalled:
            signal.raise_signal(signal.SIGTERM)

    def _handle(self, *_: object) -> None:
        if self.is_signalled:
            return  # the time limit ends the process, if nothing else does
        self.is_signalled = True
        with suppress(OSError):
            self._waking.send(bytes([signal.SIGTERM]))
        raise KeyboardInterrupt

    def _watch(self) -> None:
        # The socket stays open until the end: of a signal that cannot be written to it, the interpreter shows an error.
        with self._watched:
            signals = b""
            while signal.SIGTERM not in signals:
                signals = self._watched.recv(64)
                if not signals:
                    return
                for signum in _HANDLED.intersection(signals):
                    self._on_signal(signum)
            if not self._over.wait(self._limit):
                try:
                    self._at_limit()
                finally:
                    os._exit(128 + signal.SIGTERM)
