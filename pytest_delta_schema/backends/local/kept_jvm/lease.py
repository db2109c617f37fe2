"""Get the kept JVM of a working folder for one run, and start one if there is none that fits."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from filelock import FileLock, Timeout

from pytest_delta_schema.backends.local.kept_jvm.channel import ANSWER_SECONDS, HolderGoneError, ask, end_of
from pytest_delta_schema.backends.local.kept_jvm.record import NotKeptError, private_folder, read_record, record_path
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.diagnostics.errors import os_error_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_delta_schema.backends.local.kept_jvm.channel import Channel

_PROGRAM = (
    "import sys; sys.path[:] = [path for path in sys.path if path];"
    " from pytest_delta_schema.backends.local.kept_jvm.holder import main; main()"
)
"""The program of the holder; modules in the working folder cannot replace those that it imports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The exclusive use of a kept JVM."""

    port: int
    secret: Secret
    is_new: bool
    """Whether the JVM was started for this run."""
    channel: Channel
    """The connection to the holder; the holder ends the JVM if it ends without a word."""
    lock: FileLock

    @property
    def is_alive(self) -> bool:
        """Whether the JVM runs; its holder ends the connection when it does not."""
        return not select.select([self.channel.socket], [], [], 0)[0]

    def give_back(self) -> None:
        """Give the JVM back, so later runs can use it."""
        with suppress(OSError):
            self.channel.limit(ANSWER_SECONDS)
            self.channel.send("give back")
        self.channel.close()
        self.lock.release()

    def discard(self) -> None:
        """Have the JVM ended, and wait for it."""
        with suppress(OSError):
            self.channel.limit(ANSWER_SECONDS)
            self.channel.send("discard")
            self.channel.receive()
        self.channel.close()
        self.lock.release()


def lease(folder: Path, key: str, seconds: float, conf: Callable[[], Mapping[str, str]]) -> Lease:
    """Return the lease of the JVM that is kept for a working folder, which is started if it does not run.

    A JVM with another key is ended. It may be idle for ``seconds`` after this run. ``conf`` returns the settings with
    which a new one is started.

    Raises:
        NotKeptError: If another run uses it, it does not start, or its files are not private.
    """
    path = record_path(folder)
    lock = FileLock(private_folder() / f"{path.stem}.lock", timeout=0, mode=0o600)
    try:
        lock.acquire()
        return _lease(path, folder, key, seconds, conf, lock)
    except Timeout:
        msg = "another run in this folder uses the kept JVM"
        raise NotKeptError(msg) from None
    except OSError as error:
        msg = f"the folder {path.parent} cannot be used: {os_error_text(error)}"
        raise NotKeptError(msg) from error


def _lease(  # noqa: PLR0913, PLR0917 - those of lease
    path: Path, folder: Path, key: str, seconds: float, conf: Callable[[], Mapping[str, str]], lock: FileLock
) -> Lease:
    """Return the lease, with its lock; without one the lock is released."""
    try:
        kept = _kept(path, key, seconds, lock)
        if kept is not None:
            return kept
        _start({"path": str(path), "folder": str(folder), "key": key, "seconds": seconds}, conf(), folder)
        new = _kept(path, key, seconds, lock, is_new=True)
    except BaseException:
        lock.release()
        raise
    if new is None:
        lock.release()
        msg = f"the JVM ended at once; look at {log_path(path)}"
        raise NotKeptError(msg)
    return new


def log_path(path: Path) -> Path:
    """Return the file to which the JVM of a record writes its log."""
    return path.with_suffix(".log")


def _kept(path: Path, key: str, seconds: float, lock: FileLock, *, is_new: bool = False) -> Lease | None:
    """Return the lease of the JVM of a record; ``None`` if there is none with this key, any more."""
    record = read_record(path)
    if record is None:
        return None
    try:
        if record.key == key:
            channel, answer = ask(record, {"want": "lease", "pid": os.getpid(), "seconds": seconds})
            if "port" in answer:
                secret = Secret(str(answer["secret"]))
                return Lease(port=int(answer["port"]), secret=secret, is_new=is_new, channel=channel, lock=lock)
            channel.close()
        else:
            answer = end_of(record)
        if answer["run"] is not None:
            msg = f"the run with the process id {answer['run']} uses the kept JVM"
            raise NotKeptError(msg)
    except HolderGoneError:
        pass
    path.unlink(missing_ok=True)
    return None


def _start(order: Mapping[str, Any], conf: Mapping[str, str], folder: Path) -> None:
    """Start a holder, and wait until it has written its record."""
    log = log_path(Path(order["path"]))
    log.unlink(missing_ok=True)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_APPEND, 0o600)
    try:
        holder = subprocess.Popen(  # noqa: S603 - this interpreter
            [sys.executable, "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=file,
            cwd=folder,
            text=True,
            # Ctrl-C in the terminal, and its end, are not sent to another session.
            start_new_session=True,
        )
    finally:
        os.close(file)
    try:
        answer = _ordered(holder, {**order, "conf": dict(conf)})
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(holder.pid, signal.SIGKILL)
        holder.wait()
        raise
    if not answer:
        holder.wait()
        msg = f"the JVM did not start; look at {log}"
        raise NotKeptError(msg)
    # It outlives this process, which Python would warn of.
    holder.returncode = 0


def _ordered(holder: subprocess.Popen[str], order: Mapping[str, Any]) -> str:
    """Give a holder its order, and return its answer, ``""`` if it ends without one."""
    given, answer = cast("TextIO", holder.stdin), cast("TextIO", holder.stdout)
    with answer:
        # One that has ended at once reads nothing.
        with suppress(BrokenPipeError), given:
            given.write(json.dumps(order))
        return answer.readline()
