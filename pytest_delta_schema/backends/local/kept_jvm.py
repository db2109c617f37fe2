"""A JVM that outlives a run, so the next run does not wait for its start.

A small process, the holder, starts the JVM and ends it. A run that may use the JVM holds a lease of it, and each run
has its own Spark session.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import select
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from filelock import FileLock, Timeout

from pytest_delta_schema.backends.local.launch import CLASS_PATH, cache_folder, installed
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.spark.compat import (
    clear_cache,
    gateway_bindings,
    java_context,
    java_session,
    spark_home,
)
from pytest_delta_schema.diagnostics.errors import os_error_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import SparkSession


_PROGRAM = (
    "import sys; sys.path[:] = [path for path in sys.path if path];"
    " from pytest_delta_schema.backends.local.jvm_holder import main; main()"
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


OF_TERMINAL = frozenset(
    {
        "_", "COLORTERM", "COLUMNS", "FORCE_COLOR", "GPG_TTY", "LINES", "NO_COLOR", "OLDPWD", "PYTEST_ADDOPTS",
        "PYTEST_CURRENT_TEST", "SHLVL", "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "STY", "TERM", "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "TMUX", "TMUX_PANE", "WINDOW", "WINDOWID",
    }
)  # fmt: skip
"""Variables that differ between terminals and between runs, and that neither Java nor Spark reads."""

_NOT_IN_KEY = ("spark.sql.catalog.", CLASS_PATH)
"""Settings that each session brings itself, and the class path, whose files are part of the key."""


def key_of(
    conf: Mapping[str, str], class_path: Sequence[Path], options: str, environment: Mapping[str, str] = os.environ
) -> str:
    """Return the key of a JVM."""
    parts = {
        "conf": {name: value for name, value in conf.items() if not _is_left_out(name)},
        "jars": [[str(jar), jar.stat().st_size, jar.stat().st_mtime_ns] for jar in class_path],
        "options": options,
        "spark": [str(spark_home()), (spark_home() / "jars").stat().st_mtime_ns, *map(str, installed().values())],
        "python": [sys.version, sys.executable, sys.prefix],
        "package": [version("pytest-delta-schema"), version("py4j")],
        "environment": {name: value for name, value in environment.items() if name not in OF_TERMINAL},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _is_left_out(name: str) -> bool:
    return name.startswith(_NOT_IN_KEY) and name != "spark.sql.catalog.spark_catalog"


_SUFFIX = ".json"
_LARGEST = 1 << 16


class NotKeptError(Exception):
    """A JVM cannot be kept, or a kept one not used; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderRecord:
    """How runs reach the holder of a JVM."""

    folder: str
    key: str
    port: int
    secret: Secret


def records_folder() -> Path:
    """Return the folder of all records, which may not exist yet."""
    return cache_folder() / "kept-jvms"


def record_path(folder: Path) -> Path:
    """Return the path of the record for a working folder; the cache may be shared by several machines."""
    name = hashlib.sha256(f"{socket.gethostname()}\0{folder}".encode(errors="surrogateescape")).hexdigest()[:16]
    return records_folder() / f"{name}{_SUFFIX}"


def record_paths() -> list[Path]:
    """Return the paths of all records."""
    return sorted(records_folder().glob(f"*{_SUFFIX}"))


def private_folder() -> Path:
    """Return the folder of the records, which is created if it is missing."""
    folder = records_folder()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        status = folder.lstat()
    except OSError as error:
        msg = f"the folder {folder} cannot be used: {os_error_text(error)}"
        raise NotKeptError(msg) from error
    if not stat.S_ISDIR(status.st_mode):
        msg = f"{folder} is not a directory (symbolic links are not followed); remove it"
        raise NotKeptError(msg)
    _require_private(folder, status, f"chmod 700 {folder}")
    return folder


def read_record(path: Path) -> HolderRecord | None:
    """Return the record in a file; ``None`` if there is none, or something else is in it."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        msg = f"{path} cannot be read: {os_error_text(error)}; remove it"
        raise NotKeptError(msg) from error
    with os.fdopen(file, "rb") as opened:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            msg = f"{path} is not a regular file; remove it"
            raise NotKeptError(msg)
        _require_private(path, status, f"rm {path}")
        return _parsed(opened.read(_LARGEST))


def write_record(path: Path, record: HolderRecord) -> None:
    """Write a record to a file with the mode 0600, instead of an older one."""
    scratch = path.with_suffix(f".{os.getpid()}.new")
    with suppress(FileNotFoundError):
        scratch.unlink()
    file = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        json.dump(
            {"folder": record.folder, "key": record.key, "port": record.port, "secret": record.secret.reveal()}, opened
        )
    os.replace(scratch, path)  # noqa: PTH105 - replaces on every system


def remove_record(path: Path, record: HolderRecord) -> None:
    """Remove a record, unless a newer one has taken its place."""
    with suppress(OSError, NotKeptError):
        kept = read_record(path)
        if kept is not None and kept.secret.reveal() == record.secret.reveal():
            path.unlink()


def _require_private(path: Path, status: os.stat_result, remedy: str) -> None:
    if status.st_uid != os.geteuid():
        msg = f"{path} belongs to another user; remove it, or set XDG_CACHE_HOME to a folder of your own"
        raise NotKeptError(msg)
    if status.st_mode & 0o077:
        msg = f"other users have access to {path}; run {remedy}"
        raise NotKeptError(msg)


def _parsed(data: bytes) -> HolderRecord | None:
    try:
        values: Any = json.loads(data)
        folder, key, port, secret = (values[name] for name in ("folder", "key", "port", "secret"))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = (folder, key, secret)
    if not (all(isinstance(text, str) and text for text in texts) and type(port) is int and 0 < port < 1 << 16):
        return None
    return HolderRecord(folder=folder, key=key, port=port, secret=Secret(secret))


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
        """Return the next line."""
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
    """Send a request to the holder of a record, and return the open connection and the answer."""
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
    """End the JVM of a record unless a run uses it, wait until it has ended, and return its status before."""
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


_STREAMS = "stream execution thread"


@dataclass(frozen=True, slots=True, kw_only=True)
class JvmState:
    """The static state of a JVM before a run."""

    gateway: Any
    properties: Any
    """The system properties, some of which Spark takes for settings."""
    time_zone: Any
    locale: Any
    objects: Any
    """The ids of the objects to which py4j refers."""

    def restore(self) -> None:
        """Set the static state back, and drop the objects of the run."""
        jvm = self.gateway.jvm
        jvm.java.lang.System.setProperties(self.properties)
        jvm.java.util.TimeZone.setDefault(self.time_zone)
        jvm.java.util.Locale.setDefault(self.locale)
        gateway_bindings(self.gateway).keySet().retainAll(self.objects)


def fresh_state(gateway: Any) -> JvmState:
    """Clear what the JVM remembers of files and of Hadoop's login user, and return its static state.

    Delta keeps the newest version of each table that it has read, for an hour, by path: a table that was dropped and
    created again would be read as the old one (Delta 4.4.0).
    """
    jvm = gateway.jvm
    clear_cache(gateway)
    jvm.org.apache.hadoop.fs.FileSystem.closeAll()
    jvm.org.apache.hadoop.security.UserGroupInformation.reset()
    jvm.org.apache.logging.log4j.core.config.Configurator.reconfigure()
    return JvmState(
        gateway=gateway,
        objects=jvm.java.util.HashSet(gateway_bindings(gateway).keySet()),
        properties=jvm.java.lang.System.getProperties().clone(),
        time_zone=jvm.java.util.TimeZone.getDefault(),
        locale=jvm.java.util.Locale.getDefault(),
    )


def stop_streams(spark: SparkSession) -> None:
    """Stop the streams that tests have left running, also those of other sessions of the context."""
    # py4j makes the Java map a Python mapping.
    for query in list(java_session(spark).sharedState().activeStreamingQueries().values()):
        # One whose files are gone fails to stop, which shows in its thread.
        with suppress(Exception):
            query.stop()


def has_added_jars(spark: SparkSession) -> bool:
    """Whether jars were added to the context, whose classes stay loaded."""
    return bool(java_context(spark).listJars().nonEmpty())


def runs_streams(jvm: Any) -> bool:
    """Whether a stream runs in the JVM, which nothing has stopped."""
    threads = jvm.java.lang.Thread.getAllStackTraces().keySet()
    return _STREAMS in str(threads.toString())
