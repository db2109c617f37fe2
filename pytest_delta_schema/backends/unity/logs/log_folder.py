"""Read the files of a Delta log for what deltalake does not return: damage, domains, and what it does not know."""

from __future__ import annotations

import errno
import json
import os
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.backends.logs.log_files import Edges
from pytest_delta_schema.backends.unity.logs.deltalake_compat import file_system
from pytest_delta_schema.delta.clustering import clustering_in
from pytest_delta_schema.delta.logs.log_listing import LogListing, commit_name
from pytest_delta_schema.diagnostics.redaction import HiddenValues, redacted_uri

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.backends.logs.log_files import LogFiles
    from pytest_delta_schema.delta.clustering import Paths

_LOG = "_delta_log"
_DOMAINS = "domainMetadata"
_METADATA = "metaData"
_PROTOCOL = "protocol"
_COMMIT = re.compile(r"[0-9]{20}\.json")


class NewestActions(NamedTuple):
    """The newest version of a log, as its files hold it."""

    version: int
    metadata: Mapping[str, Any]
    protocol: Mapping[str, Any]


class LogFolder:
    """Reads single files of a log through the same store as deltalake; see :class:`LogFiles`."""

    def __init__(self, location: str, options: Mapping[str, str]) -> None:
        self.path = f"{redacted_uri(location).rstrip('/')}/{_LOG}"
        self._location = location
        self._options = HiddenValues(options)
        self._listed: set[str] | None = None

    @property
    def misnamed(self) -> tuple[str, ...]:
        """The files whose number does not have 20 digits, which Spark may read as commits and deltalake ignores."""
        try:
            return LogListing.of(self._names).misnamed
        except OSError:  # it was dropped meanwhile; what was read before counts
            return ()

    def clustering(self, version: int) -> Paths | None:
        """Return the clustering columns in the files of one version; ``None`` if they do not hold any.

        A checksum and a checkpoint hold all domains, a commit those that it changes (source: Delta's protocol).

        Raises:
            OSError: If a file cannot be read; ``FileNotFoundError`` if the version has no files any more.
        """
        stem = f"{version:020d}"
        checkpoints = [name for name in self._names if name.startswith(f"{stem}.checkpoint")]
        if f"{stem}.json" in self._names or not checkpoints:
            # A listing may lack a commit that came while it was made.
            paths = clustering_in(self._in_lines(f"{stem}.json"))
            if paths is not None:
                return paths
            domains = self._in_checksum(f"{stem}.crc")
            if domains is not None:
                return clustering_in(domains) or ()
        if not checkpoints:
            return None
        return clustering_in(domain for name in checkpoints for domain in self._in_checkpoint(name)) or ()

    def metadata(self) -> list[Mapping[str, Any]]:
        """Return the ``metaData`` actions of all commits and checkpoints in the log."""
        commits = sorted(name for name in self._names if _COMMIT.fullmatch(name))
        checkpoints = sorted(name for name in self._names if ".checkpoint" in name)
        return [
            *(action for name in commits for action in self._in_lines(name, _METADATA)),
            *(action for name in checkpoints for action in self._in_checkpoint(name, _METADATA)),
        ]

    def newest(self) -> NewestActions:
        """Return the newest version, read as Delta's protocol says, whatever types and features it has.

        Raises:
            KeyError: If no file holds the actions.
            OSError: If a file cannot be read; ``FileNotFoundError`` if there is no commit any more.
        """
        listing = LogListing.of(self._names)
        if listing.newest < 0:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.path)
        commits = (commit_name(version) for version in sorted(listing.commits) if version > listing.checkpoint)
        known: dict[str, Mapping[str, Any]] = {}
        for name in (*listing.checkpoints.get(listing.checkpoint, ()), *commits):
            read = self._in_checkpoint if ".checkpoint" in name else self._in_lines
            known.update({kind: action for kind in (_METADATA, _PROTOCOL) for action in read(name, kind)})
        metadata = known[_METADATA]
        # In parquet, properties are pairs.
        configuration = {
            key: value if isinstance(value, str) else json.dumps(value)
            for key, value in dict(metadata.get("configuration") or ()).items()
            if value is not None
        }
        form = metadata.get("format") or {}
        form = {**form, "options": dict(form.get("options") or ())}
        protocol = {key: value for key, value in known[_PROTOCOL].items() if value is not None}
        return NewestActions(listing.newest, {**metadata, "format": form, "configuration": configuration}, protocol)

    @property
    def _names(self) -> set[str]:
        """The names that were listed last."""
        return self.names() if self._listed is None else self._listed

    @cached_property
    def _store(self) -> Any:
        return file_system(self._location, self._options)

    def _in_checksum(self, name: str) -> list[Mapping[str, Any]] | None:
        """Return the domains in a checksum; ``None`` if there is no checksum, or it cannot be parsed."""
        try:
            checksum = json.loads(self.read(name)) if name in self._names else {}
            domains: list[Mapping[str, Any]] | None = checksum.get(_DOMAINS)
        except (AttributeError, ValueError, RecursionError):
            return None
        return domains

    def names(self) -> set[str]:
        """Return the names of the files in the log."""
        from pyarrow.fs import FileSelector

        self._listed = {info.base_name for info in self._store.get_file_info(FileSelector(_LOG))}
        return self._listed

    def edges(self, name: str) -> Edges:
        """Return the first and last bytes of a file."""
        with self._store.open_input_file(f"{_LOG}/{name}") as file:
            size = file.size()
            head = file.read(4)
            file.seek(max(size - 8, 0))
            return Edges(size, head, file.read())

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with self._store.open_input_file(f"{_LOG}/{name}") as file:
            content: bytes = file.read()
        return content

    def _in_lines(self, name: str, kind: str = _DOMAINS) -> list[Mapping[str, Any]]:
        return _actions(self.read(name), kind)

    def _in_checkpoint(self, name: str, kind: str = _DOMAINS) -> list[Mapping[str, Any]]:
        if name.endswith(".json"):
            return self._in_lines(name, kind)
        from pyarrow.parquet import ParquetFile

        with self._store.open_input_file(f"{_LOG}/{name}") as file:
            parquet = ParquetFile(file)
            if kind not in parquet.schema_arrow.names:
                return []
            actions = parquet.read(columns=[kind]).column(0).to_pylist()
            return [action for action in actions if action is not None]


def committed_at(log: LogFiles, version: int) -> int:
    """Return when a version was committed, in milliseconds since 1970; 0 if the log does not say so."""
    name = commit_name(version)
    infos = _actions(log.read(name), "commitInfo") if name in log.names() else ()
    return max((int(info.get("timestamp", 0)) for info in infos), default=0)


def _actions(content: bytes, kind: str) -> list[Mapping[str, Any]]:
    actions = [json.loads(line) for line in content.splitlines() if line.strip()]
    return [action[kind] for action in actions if kind in action]
