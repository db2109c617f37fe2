"""Ports for servers of tests, and for servers that are not there."""

from __future__ import annotations

import random
import socket
from contextlib import suppress


def own_port() -> int:
    """Return a free port that no system assigns by itself, so nobody else gets it before it is used."""
    # Linux assigns ports from 32768 on, others from 49152 on.
    for port in random.sample(range(20_000, 30_000), 1_000):
        with suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return port
    msg = "none of 1,000 ports is free"
    raise OSError(msg)
