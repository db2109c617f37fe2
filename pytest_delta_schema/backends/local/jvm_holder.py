"""The process that starts a JVM, lends it to one run at a time, and ends it when it is idle or unfit."""

from __future__ import annotations

import json
import os
import secrets
import select
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from pytest_delta_schema.backends.local.kept_jvm import (
    HOST,
    Channel,
    HolderRecord,
    remove_record,
    request_of,
    write_record,
)
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.spark.compat import launch_jvm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TICK = 0.5
"""Seconds between two looks at the JVM and at the clock."""

_HANDSHAKE = 2.0
"""Seconds in which a run proves that it knows the secret, and in which the JVM may end by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldJvm:
    """A running JVM, whose process ends when its input is closed, with the port and the secret of py4j."""

    process: subprocess.Popen[bytes]
    port: int
    secret: Secret

    def end(self) -> None:
        """End the JVM; what it runs is stopped."""
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()
        try:
            self.process.wait(_HANDSHAKE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Holder:
    """Lends a JVM to one run at a time.

    A run that ends without giving the JVM back, because it was killed or interrupted, may have left anything in it:
    then the JVM is ended.

    ``key`` is what the JVM depends on; it may be idle for ``seconds``.
    """

    def __init__(self, jvm: HeldJvm, path: Path, *, folder: str, key: str, seconds: float) -> None:
        self._jvm = jvm
        self._path = path
        self._seconds = seconds
        self._listener = socket.create_server((HOST, 0))
        port = self._listener.getsockname()[1]
        self.record = HolderRecord(folder=folder, key=key, port=port, secret=Secret(secrets.token_hex(32)))
        self._run: Channel | None = None
        self._run_id: int | None = None
        self._idle_since = time.monotonic()
        self._runs = 0
        self._is_over = False

    def serve(self, ready: Callable[[], object]) -> None:
        """Write the record, and serve runs until the JVM is unfit, idle for too long, has ended, or is stopped."""
        waiting: list[Channel] = []
        try:
            write_record(self._path, self.record)
            ready()
            while not self._is_over:
                self._look(waiting)
        finally:
            remove_record(self._path, self.record)
            self._listener.close()
            self._jvm.end()
            # Who waits for the end of the JVM waits for the end of the connection.
            for channel in (*waiting, *filter(None, [self._run])):
                channel.close()

    def _look(self, waiting: list[Channel]) -> None:
        run = [] if self._run is None else [self._run.socket]
        ready = select.select([self._listener, *run], [], [], _TICK)[0]
        # What a run says before the next one comes is heard first.
        if self._run is not None and self._run.socket in ready:
            self._hear(self._run)
        elif self._listener in ready:
            self._accept(waiting)
        if self._jvm.process.poll() is not None or (
            self._run is None and time.monotonic() - self._idle_since >= self._seconds
        ):
            self._is_over = True

    def _hear(self, run: Channel) -> None:
        run.limit(_HANDSHAKE)
        try:
            given_back = run.receive() == "give back"
        except OSError:
            given_back = False
        if not given_back:
            self._is_over = True
            return
        run.close()
        self._run, self._idle_since = None, time.monotonic()

    def _accept(self, waiting: list[Channel]) -> None:
        connection, _ = self._listener.accept()
        channel = Channel(connection)
        channel.limit(_HANDSHAKE)
        request = request_of(channel, self.record.secret)
        if request is None:
            channel.close()
            return
        try:
            self._answer(channel, request, waiting)
        except OSError:
            channel.close()
            if channel is self._run:
                self._is_over = True

    def _answer(self, channel: Channel, request: Mapping[str, Any], waiting: list[Channel]) -> None:
        match request.get("want"):
            case "lease" if self._run is None:
                self._run, self._run_id = channel, int(request["pid"])
                self._seconds = float(request["seconds"])
                self._runs += 1
                channel.send(json.dumps({"port": self._jvm.port, "secret": self._jvm.secret.reveal()}))
            case "stop" if self._run is None:
                self._is_over = True
                waiting.append(channel)
                channel.send(json.dumps(self._status()))
            case _:
                channel.send(json.dumps(self._status()))
                channel.close()

    def _status(self) -> dict[str, Any]:
        idle = None if self._run is not None else time.monotonic() - self._idle_since
        return {
            "jvm": self._jvm.process.pid,
            "run": self._run_id if idle is None else None,
            "idle": idle,
            "seconds": self._seconds,
            "runs": self._runs,
        }


def start_jvm(conf: Mapping[str, str]) -> HeldJvm:
    """Start the JVM in which sessions are opened later, with pyspark's own launcher."""
    process, port, secret = launch_jvm(conf)
    return HeldJvm(process=process, port=port, secret=Secret(secret))


def main(order: TextIO = sys.stdin) -> None:
    """Start a JVM and hold it, as the order on standard input says; one line on standard output when it is ready.

    The order is JSON: ``conf`` of the JVM, ``path`` of the record, ``folder``, ``key``, ``seconds``.
    """
    values: Any = json.load(order)
    # What the JVM writes goes to standard error, which is a file: the terminal of this run may be gone by then.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    holder = Holder(
        start_jvm(values["conf"]),
        Path(values["path"]),
        folder=values["folder"],
        key=values["key"],
        seconds=float(values["seconds"]),
    )

    def ready() -> None:
        with answer:
            answer.write("ready\n")

    holder.serve(ready)
