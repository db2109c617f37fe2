"""Connect runs and a holder: lines of JSON on the loopback interface, after both sides have proved the secret.

The secret itself is never sent, so a program which has got the port of an ended holder learns nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_delta_schema.backends.local.kept_jvm.record import HolderRecord
    from pytest_delta_schema.backends.secret import Secret

HOST = "127.0.0.1"

ANSWER_SECONDS = 5.0
"""Seconds to wait for the other side, which answers at once if it is alive."""

_LONGEST = 1 << 16


class HolderGoneError(Exception):
    """No holder with the secret of the record answers."""


class Channel:
    """One connection, line by line."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._rest = b""
        self._until: float | None = None

    def limit(self, seconds: float | None) -> None:
        """Set how long everything may take together that is sent and received from now on; ``None`` for no limit."""
        self._until = None if seconds is None else time.monotonic() + seconds
        self.socket.settimeout(seconds)

    def send(self, line: str) -> None:
        """Send a line; raise an ``OSError`` if the other side has ended, or the time is over."""
        self._require_time()
        self.socket.sendall(line.encode() + b"\n")

    def receive(self) -> str:
        """Return the next line.

        Raises:
            OSError: If the other side has ended, the time is over, or it sends no line.
        """
        while b"\n" not in self._rest:
            self._require_time()
            data = self.socket.recv(4096)
            if not data or len(self._rest) > _LONGEST:
                msg = "the connection has ended"
                raise ConnectionResetError(msg)
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace")

    def close(self) -> None:
        """End the connection."""
        self.socket.close()

    def _require_time(self) -> None:
        """Limit the next call on the socket to the time that is left; a timeout of a socket is one of each call."""
        if self._until is None:
            return
        left = self._until - time.monotonic()
        if left <= 0:
            msg = "the other side is too slow"
            raise TimeoutError(msg)
        self.socket.settimeout(left)


def ask(record: HolderRecord, request: dict[str, Any]) -> tuple[Channel, dict[str, Any]]:
    """Send a request to the holder of a record, and return the open connection and the answer.

    The request is sent after the holder has proved that it knows the secret.

    Raises:
        HolderGoneError: If the holder has ended, also if another program has its port by now.
    """
    try:
        channel = Channel(socket.create_connection((HOST, record.port), timeout=ANSWER_SECONDS))
    except OSError as error:
        raise HolderGoneError from error
    try:
        channel.limit(ANSWER_SECONDS)
        own = secrets.token_hex(16)
        channel.send(own)
        other, _, proof = channel.receive().partition(" ")
        _require(_is_equal(_proof(record.secret, "holder", own, other), proof))
        body = json.dumps(request)
        channel.send(f"{_proof(record.secret, 'run', other, own, body)} {body}")
        answer: dict[str, Any] = json.loads(channel.receive())
        channel.limit(None)
    except BaseException as error:
        channel.close()
        if isinstance(error, (OSError, ValueError)):
            raise HolderGoneError from error
        raise
    return channel, answer


def end_of(record: HolderRecord) -> dict[str, Any]:
    """End the JVM of a record unless a run uses it, wait until it has ended, and return its status before.

    Raises:
        HolderGoneError: If it has ended before.
    """
    channel, status = ask(record, {"want": "stop"})
    with suppress(OSError):
        channel.limit(2 * ANSWER_SECONDS)
        channel.receive()
    channel.close()
    return status


def request_of(channel: Channel, secret: Secret) -> dict[str, Any] | None:
    """Return what the other side of a new connection asks; ``None`` if it does not know the secret."""
    try:
        other, own = channel.receive(), secrets.token_hex(16)
        channel.send(f"{own} {_proof(secret, 'holder', other, own)}")
        proof, _, body = channel.receive().partition(" ")
        if not _is_equal(_proof(secret, "run", own, other, body), proof):
            return None
        request: dict[str, Any] = json.loads(body)
    except (OSError, ValueError):
        return None
    return request


def _proof(secret: Secret, *parts: str) -> str:
    return hmac.new(secret.reveal().encode(), "\0".join(parts).encode(), hashlib.sha256).hexdigest()


def _require(is_proved: bool) -> None:  # noqa: FBT001 - the only argument
    if not is_proved:
        raise HolderGoneError


def _is_equal(proof: str, given: str) -> bool:
    return hmac.compare_digest(proof.encode(), given.encode())
