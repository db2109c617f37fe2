"""One time limit for a whole call, with its tries, its pauses and each read from the network."""

from __future__ import annotations

import time


class Deadline:
    """The time by which a call has to end."""

    __slots__ = ("_end", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())

    def pause(self, seconds: float) -> bool:
        """Wait before another try; ``False``, at once, if no time would be left for it."""
        if self.left <= seconds:
            return False
        time.sleep(seconds)
        return True
