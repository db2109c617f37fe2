"""Copy tables by their files: clones of tables, and new tables from the logs of equal ones."""

from __future__ import annotations

import errno
import json
import os
import shutil
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from pytest_delta_schema.backends.local.reading import located
from pytest_delta_schema.backends.local.warehouse import is_hidden, table_folder
from pytest_delta_schema.backends.problems import cannot_clone, require_commits_in_log
from pytest_delta_schema.backends.spark.sessions import setting
from pytest_delta_schema.delta.log_files import SIDECARS, LogListing, checksum_name, commit_name
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.sql.compiler import script, statements
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.keys import key_property

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.local.bridge import Bridge
    from pytest_delta_schema.sql.statement import Statement

    Action = dict[str, Any]
    Edits = Mapping[str, Callable[[Any], Any]]
    Property = tuple[str, str]


_LOG = "_delta_log"
_CHANGES = "_change_data"


_ATTEMPTS = 3


class ChangingTableError(Exception):
    """A table changed during every attempt to clone it."""


def clone(bridge: Bridge, source: QualifiedName, target: QualifiedName) -> None:
    """Clone a table into the warehouse folder, where it is found by its name."""
    state, location = located(bridge, source)
    require_commits_in_log(state)
    if not location.startswith("/"):
        raise cannot_clone(source, f"its files are in {location}, and only those of a local folder are cloned")
    if not bridge.is_warehouse(target.catalog):
        fact = f"the catalog {target.catalog} is not one of the warehouse folder"
        raise cannot_clone(source, fact, "clone tables of catalogs that the session does not configure")
    try:
        clone_folder(Path(location), table_folder(bridge.warehouse, target), partial(_copy_checkpoint, bridge.spark))
    except ChangingTableError as error:
        fact = "other writers have changed it during each of 3 attempts"
        raise cannot_clone(source, fact, "clone it when they have ended") from error
    except FileNotFoundError as error:
        fact = f"a file of its log is not there ({first_line(error)})"
        raise cannot_clone(source, fact, "restore the log") from error
    except OSError as error:
        raise cannot_clone(source, first_line(error), "free space, or give the permission") from error


def _copy_checkpoint(spark: SparkSession, source: Path, target: Path, ids: NewIds) -> None:
    """Copy a checkpoint, or one of its parts, under another table id; without metadata it is linked."""
    from pyspark.sql import functions

    with TemporaryDirectory() as folder:
        # Spark does not read files of a Delta table as plain parquet.
        shutil.copyfile(source, Path(folder, "checkpoint.parquet"))
        actions = spark.read.parquet(str(Path(folder, "checkpoint.parquet")))
        metadata = functions.col("metaData")
        stored = actions.where(metadata.isNotNull()).select("metaData.id").collect()
        if not stored:
            link_or_copy(source, target)
            return
        renewed = functions.when(metadata.isNotNull(), metadata.withField("id", functions.lit(ids.of(stored[0][0]))))
        with setting(spark, _TIMES, "TIMESTAMP_MICROS"):
            actions.withColumn("metaData", renewed).coalesce(1).write.parquet(str(Path(folder, "copy")))
        (written,) = Path(folder, "copy").glob("part-*.parquet")
        shutil.copyfile(written, target)


_TIMES = "spark.sql.parquet.outputTimestampType"


def clone_folder(source: Path, target: Path, rewrite_checkpoint: Callable[[Path, Path, NewIds], None]) -> None:
    """Clone the table in a folder by links to its files, which Delta never changes after they were written."""
    log = source / _LOG
    listing = _Listed.of(log)
    for _ in range(_ATTEMPTS):
        gone: FileNotFoundError | None = None
        try:
            _clone_once(source, target, listing.files, rewrite_checkpoint)
        except FileNotFoundError as error:
            # Delta's log cleanup may have removed it, which the next listing shows.
            gone = error
        before, listing = listing, _Listed.of(log)
        if gone is None and (listing == before or has_live_files(target, before.files)):
            return
        shutil.rmtree(target, ignore_errors=True)
        if gone is not None and listing == before:
            raise gone
    raise ChangingTableError


class _Listed(NamedTuple):
    """The files of a log, and when its newest commit was written: a table that is replaced may have equal names."""

    files: LogListing
    written: int

    @classmethod
    def of(cls, log: Path) -> _Listed:
        files = LogListing.of(path.name for path in log.iterdir())
        try:
            return cls(files, (log / commit_name(files.newest)).stat().st_mtime_ns)
        except FileNotFoundError:
            return cls(files, 0)


def _clone_once(
    source: Path, target: Path, listing: LogListing, rewrite_checkpoint: Callable[[Path, Path, NewIds], None]
) -> None:
    """Clone the version of the table that a listing of its log shows."""
    log, ids = source / _LOG, NewIds()
    first = 0 if listing.has_all_commits else listing.checkpoint
    if first < 0 or listing.missing:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(log / "a commit"))
    (target / _LOG).mkdir(parents=True)
    _link_files(source, target)
    names = [commit_name(version) for version in sorted(listing.commits) if version >= first]
    names += [checksum_name(version) for version in sorted(listing.checksums) if version >= first]
    if not listing.has_all_commits:
        names = [*listing.checkpoints[listing.checkpoint], *names]
        if (log / SIDECARS).is_dir():
            _link_files(log / SIDECARS, target / _LOG / SIDECARS)
    for name in names:
        if name.endswith(".parquet"):
            rewrite_checkpoint(log / name, target / _LOG / name, ids)
        else:
            _copy_edited(log / name, target / _LOG / name, ids.edits)


class NewIds:
    """The ids of a clone, by those that the table has had: a replaced table gets a new one."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self.edits = {"metaData": self._metadata, "metadata": self._metadata}

    def of(self, table_id: str) -> str:
        """Return the id of the clone for an id of the table."""
        return self._ids.setdefault(table_id, str(uuid.uuid4()))

    def _metadata(self, action: Action) -> Action:
        return {**action, "id": self.of(action["id"])}


def link_or_copy(source: Path, target: Path) -> None:
    """Link to a file, or copy it if the file system cannot link; one that was removed meanwhile is left out."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        return
    except OSError:
        shutil.copy2(source, target)


def _link_files(source: Path, target: Path) -> None:
    """Link to the files of a table, except those in hidden folders, such as the log and checkpoints of streams."""
    for folder, folders, files in os.walk(source):
        if Path(folder) == source:
            folders[:] = [name for name in folders if name == _CHANGES or "=" in name or not is_hidden(name)]
        own = target / Path(folder).relative_to(source)
        own.mkdir(parents=True, exist_ok=True)
        for name in files:
            link_or_copy(Path(folder, name), own / name)


def _copy_edited(source: Path, target: Path, edits: Edits) -> None:
    """Copy a file of a log with other values and its times, by which older versions are found."""
    edited = edited_checksum if source.suffix == ".crc" else edited_commit
    content = edited(source.read_bytes(), edits)
    if content is not None:
        target.write_bytes(content)
        times = source.stat()
        os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))


_INLINE = "i"
"""The kind of a deletion vector that is in the log."""


def has_live_files(folder: Path, listing: LogListing) -> bool:
    """Whether a folder has the data files of its newest version, if the commits show them without Spark."""
    if not listing.has_all_commits:
        return False
    live: dict[str, bool] = {}
    for version in sorted(listing.commits):
        lines = (folder / _LOG / commit_name(version)).read_bytes().splitlines()
        actions = [json.loads(line) for line in lines if line.strip()]
        for action in actions:
            if "remove" in action:
                live.pop(action["remove"]["path"], None)
        for action in actions:
            if "add" in action:
                vector = action["add"].get("deletionVector")
                live[action["add"]["path"]] = vector is None or vector["storageType"] == _INLINE
    return all(is_plain and _has_file(folder, path) for path, is_plain in live.items())


def _has_file(folder: Path, path: str) -> bool:
    """Whether a file is in the folder, or one that is not linked, because its path is absolute."""
    return bool(urlsplit(path).scheme) or (folder / unquote(path)).exists()


_NO_NAME = QualifiedName("", "", "")


class TableTemplates:
    """The logs of new tables, by the statements that have created them."""

    def __init__(self, folder: Callable[[QualifiedName], Path], settings: Callable[[], str]) -> None:
        self._folder = folder
        self._settings = settings
        self._logs: dict[object, PreparedLog] = {}
        self._is_active = False
        self._created: dict[object, CreateTable] = {}
        self._copied: set[QualifiedName] = set()

    @contextmanager
    def active(self) -> Iterator[None]:
        """Copy tables in the block where that is possible, and keep the logs of those that statements create."""
        self._is_active = True
        try:
            yield
            for key, action in self._created.items():
                log = PreparedLog.read(action, self._folder(action.table))
                if log is not None:
                    self._logs[key] = log
        finally:
            self._is_active = False
            self._created, self._copied = {}, set()

    @property
    def copied(self) -> AbstractSet[QualifiedName]:
        """The tables that were copied in the block, whose folders hold nothing but the copies."""
        return self._copied

    def replace(self, statement: Statement) -> bool:
        """Copy a table instead of the first of its statements, and return whether a statement needs not run."""
        if not self._is_active:
            return False
        for action in statement.changes:
            if statement.kind is StatementKind.CREATE_TABLE and isinstance(action, CreateTable):
                key = self._settings(), _without_names(action)
                log, folder = self._logs.get(key), self._folder(action.table)
                if log is None or folder.exists():
                    self._created[key] = action
                else:
                    _write_log(log, action, folder)
                    self._copied.add(action.table)
        return statement.table in self._copied


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedLog:
    """The log of a table that was just created."""

    action: CreateTable
    commits: tuple[bytes, ...]
    """The commits, from the first version on."""
    checksums: Mapping[int, bytes]
    """The checksum files, by version."""
    folders: tuple[str, ...]
    """The folders in the log, all of them empty."""
    files: Mapping[str, bytes]
    """The files next to the log, by name."""

    @classmethod
    def read(cls, action: CreateTable, folder: Path) -> PreparedLog | None:
        """Read the log of a new table, without its checkpoints; ``None`` if its commits are not all there."""
        log = folder / _LOG
        listing = LogListing.of(path.name for path in log.iterdir()) if log.is_dir() else LogListing.of(())
        if not listing.commits or not listing.has_all_commits:
            return None
        files = [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]
        return cls(
            action=action,
            commits=tuple((log / commit_name(version)).read_bytes() for version in sorted(listing.commits)),
            checksums={version: (log / checksum_name(version)).read_bytes() for version in listing.checksums},
            folders=tuple(path.name for path in log.iterdir() if path.is_dir()),
            files={path.name: path.read_bytes() for path in files},
        )

    def write(self, action: CreateTable, folder: Path) -> None:
        """Write the log of an equal table, with its own id, keys and times, to a folder that does not exist."""
        keys = dict(zip(_key_properties(self.action), _key_properties(action), strict=True))
        identity = _Identity(str(uuid.uuid4()), keys, int(time.time() * 1000))
        log = folder / _LOG
        log.mkdir(parents=True)
        for name in self.folders:
            (log / name).mkdir()
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        for version, content in enumerate(self.commits):
            (log / commit_name(version)).write_bytes(edited_commit(content, identity.of_commit(version)))
        for version, content in self.checksums.items():
            checksum = edited_checksum(content, identity.of_checksum(version))
            if checksum is not None:
                (log / checksum_name(version)).write_bytes(checksum)


@dataclass(frozen=True, slots=True)
class _Identity:
    """The id, the keys and the times of a copied table."""

    table_id: str
    keys: Mapping[Property, Property]
    """The properties that hold its keys, by those of the first table."""
    now: int
    """The time of its first commit, in milliseconds since 1970; each further one is a millisecond later, because
    in-commit timestamps increase."""

    def of_commit(self, version: int) -> Edits:
        """Return how the actions of a commit are changed."""
        return {"metaData": self._metadata, "commitInfo": lambda action: self._commit_info(action, self.now + version)}

    def of_checksum(self, version: int) -> Edits:
        """Return how the values of a checksum file are changed."""
        return {"metadata": self._metadata, "inCommitTimestampOpt": lambda _: self.now + version}

    def _metadata(self, action: Action) -> Action:
        own: Action = {"id": self.table_id, "configuration": self._own(action.get("configuration") or {})}
        if "createdTime" in action:
            own["createdTime"] = self.now
        return {**action, **own}

    def _commit_info(self, action: Action, at: int) -> Action:
        times = dict.fromkeys(action.keys() & {"timestamp", "inCommitTimestamp"}, at)
        parameters = dict(action.get("operationParameters") or {})
        if isinstance(parameters.get("properties"), str):
            shown = self._own(json.loads(parameters["properties"]))
            parameters["properties"] = json.dumps(shown, separators=(",", ":"), ensure_ascii=False)
        return {**action, **times, "operationParameters": parameters}

    def _own(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return dict(self.keys.get(item, item) for item in properties.items())


def _write_log(log: PreparedLog, action: CreateTable, folder: Path) -> None:
    try:
        log.write(action, folder)
    except OSError as error:
        msg = f"{action.table}: its log cannot be written ({first_line(error)}); free space or give the permission"
        raise StatementError(msg, condition="NOT_WRITABLE") from error


def _without_names(action: CreateTable) -> tuple[str, tuple[type, ...]]:
    """Return what two creations have in common if they differ in the names of tables and keys only."""
    neutral = replace(action, table=_NO_NAME, creates_schema=False, keys=(), foreign_keys=())
    return script(statements(neutral)), tuple(type(change) for change in (*action.keys, *action.foreign_keys))


def _key_properties(action: CreateTable) -> list[Property]:
    changes: tuple[Any, ...] = (*action.keys, *action.foreign_keys)
    return [item for change in changes for item in key_property(change.key).items()]


def edited_commit(content: bytes, edits: Edits) -> bytes:
    """Return a commit, or a checkpoint in JSON, with other actions; lines without them keep their bytes."""
    marks = [f'"{kind}"'.encode() for kind in edits]
    lines = content.split(b"\n")
    return b"\n".join(_edited_line(line, edits) if any(mark in line for mark in marks) else line for line in lines)


def edited_checksum(content: bytes, edits: Edits) -> bytes | None:
    """Return a checksum file with other values; ``None`` if it is not JSON, which readers ignore."""
    try:
        checksum = json.loads(content)
    except ValueError:
        return None
    return _json_bytes(_edited(checksum, edits)) if isinstance(checksum, dict) else None


def _edited_line(line: bytes, edits: Edits) -> bytes:
    action: Action = json.loads(line)
    edited = _edited(action, edits)
    return line if edited == action else _json_bytes(edited)


def _edited(action: Action, edits: Edits) -> Action:
    return {key: edits[key](value) if key in edits and value is not None else value for key, value in action.items()}


def _json_bytes(value: Action) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
