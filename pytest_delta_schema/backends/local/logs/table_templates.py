"""Create a table from the log of one that was created by the same statements before."""

from __future__ import annotations

import json
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.logs.log_edits import edited_checksum, edited_commit
from pytest_delta_schema.delta.logs.log_listing import LogListing, checksum_name, commit_name
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.sql.compiler import script, statements
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.keys import key_property

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from pytest_delta_schema.backends.local.logs.log_edits import Action, Edits
    from pytest_delta_schema.sql.statement import Statement

_LOG = "_delta_log"
_NO_NAME = QualifiedName("", "", "")

Property = tuple[str, str]


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
        """Copy a table instead of the first of its statements, and return whether a statement needs not run.

        Raises:
            StatementError: If a file cannot be written.
        """
        if not self._is_active:
            return False
        for action in statement.changes:
            if statement.kind is StatementKind.CREATE_TABLE and isinstance(action, CreateTable):
                key = self._settings(), _without_names(action)
                log, folder = self._logs.get(key), self._folder(action.table)
                if log is None or folder.exists():
                    self._created[key] = action
                else:
                    _write(log, action, folder)
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
        """Read the log of a new table; ``None`` if its commits are not all there.

        Checkpoints are left out, because a reader does not need them. The checksums of Hadoop, whose names begin with a
        dot, would not match.
        """
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
        """Write the log of an equal table, with its own id, keys and times.

        The names of physical columns are those of the first table, as in a clone: they only tell the columns of one
        table apart.

        The creation differs in names only, and the folder does not exist.
        """
        identity = _Identity(str(uuid.uuid4()), _pairs(self.action, action), int(time.time() * 1000))
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


def _write(log: PreparedLog, action: CreateTable, folder: Path) -> None:
    try:
        log.write(action, folder)
    except OSError as error:
        msg = f"{action.table}: its log cannot be written ({first_line(error)}); free space or give the permission"
        raise StatementError(msg, condition="NOT_WRITABLE") from error


def _without_names(action: CreateTable) -> tuple[str, tuple[type, ...]]:
    """Return what two creations have in common if they differ in the names of tables and keys only."""
    neutral = replace(action, table=_NO_NAME, creates_schema=False, keys=(), foreign_keys=())
    return script(statements(neutral)), tuple(type(change) for change in (*action.keys, *action.foreign_keys))


def _pairs(first: CreateTable, second: CreateTable) -> dict[Property, Property]:
    """Return the properties that hold the keys of the second table, by those of the first."""
    return dict(zip(_key_properties(first), _key_properties(second), strict=True))


def _key_properties(action: CreateTable) -> list[Property]:
    changes: tuple[Any, ...] = (*action.keys, *action.foreign_keys)
    return [item for change in changes for item in key_property(change.key).items()]
