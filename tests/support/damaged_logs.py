"""Logs that are damaged, interrupted or newer: what is done to the files, and the message that reports it."""

from __future__ import annotations

import builtins
import io
import json
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from deltalake import DeltaTable

from pytest_delta_schema.backends.logs import stored
from pytest_delta_schema.backends.logs.files import LogFault
from pytest_delta_schema.backends.logs.log import DeltaLog
from pytest_delta_schema.state.delta_log import LogFacts
from support.logs import TIME, commit, field, metadata, protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pytest_delta_schema import QualifiedName
    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.state import TableState


NEWEST, CHECKPOINT = 4, 3
"""The versions of the newest commit, and of the checkpoint that some logs have, of those that damage is done to."""

NOISE = bytes(range(128, 256)) * 4


def commit_file(log: Path, version: int = NEWEST) -> Path:
    """Return the file of a commit."""
    return log / f"{version:020d}.json"


def checksum_file(log: Path, version: int = NEWEST) -> Path:
    """Return the checksum file of a version."""
    return log / f"{version:020d}.crc"


def checkpoint_file(log: Path) -> Path:
    """Return the file, or the upper file, of the only checkpoint."""
    (path,) = log.glob(f"{CHECKPOINT:020d}.checkpoint*")
    return path


def sidecar_file(log: Path) -> Path:
    """Return the only lower file of the checkpoint."""
    (path,) = (log / "_sidecars").glob("*.parquet")
    return path


def cut(path: Path) -> None:
    """Leave the first half of a file."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def _rewrite(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")


def _cut_checkpoint_and_lose_commits(log: Path) -> None:
    cut(checkpoint_file(log))
    _lose_early_commits(log)


def _lose_checkpoint_and_commits(log: Path) -> None:
    checkpoint_file(log).unlink()
    _lose_early_commits(log)


def _lose_early_commits(log: Path) -> None:
    for version in range(CHECKPOINT):
        commit_file(log, version).unlink()


class Case(NamedTuple):
    """One kind of damage."""

    harm: Callable[[Path], object]
    message: str | None


_CUT = "{log}/00000000000000000004.json is cut off or damaged in line "
_BACKUP = "; restore it from a backup"
_FOOTER = " is cut off or damaged: it has no parquet footer)"
_BOTH = "; delete it and _last_checkpoint, because all commits are there"

COMMITS = {
    "last commit cut": Case(lambda log: cut(commit_file(log)), _CUT),
    "last commit empty": Case(
        lambda log: commit_file(log).write_bytes(b""), "{log}/00000000000000000004.json is empty)" + _BACKUP
    ),
    "last commit of random bytes": Case(lambda log: commit_file(log).write_bytes(NOISE), _CUT + "1 of "),
    "last commit missing": Case(
        lambda log: commit_file(log).unlink(),
        "{log} holds 00000000000000000004.crc, the checksum of a commit, and lacks the commit 00000000000000000004.json)"
        "; restore it from a backup; to continue without that commit, delete its checksum",
    ),
    "checksum of random bytes": Case(lambda log: checksum_file(log).write_bytes(NOISE), None),
    "checksum of another commit": Case(
        lambda log: _rewrite(checksum_file(log), lambda checksum: checksum.update(txnId="0d7ab2b3")),
        "{log}/00000000000000000004.crc is the checksum of another commit); delete it: the commits are read then",
    ),
    "checksum of a commit that is missing": Case(
        lambda log: checksum_file(log, 5).write_bytes(checksum_file(log).read_bytes()),
        "{log} holds 00000000000000000005.crc, the checksum of a commit, and lacks the commit 00000000000000000005.json)",
    ),
    "last checkpoint that is missing": Case(
        lambda log: (log / "_last_checkpoint").write_text('{"version":9,"size":3}'), None
    ),
}
"""Damage of any log."""

WITHOUT_CHECKPOINT = {
    "middle commit cut": Case(
        lambda log: cut(commit_file(log, 2)), "{log}/00000000000000000002.json is cut off or damaged in line "
    ),
    "middle commit missing": Case(
        lambda log: commit_file(log, 2).unlink(),
        "{log} lacks 00000000000000000002.json, and later commits are there)" + _BACKUP,
    ),
    "first commits missing": Case(
        _lose_early_commits,
        "{log} lacks 00000000000000000000.json, 00000000000000000001.json, 00000000000000000002.json, and later commits"
        " are there); restore them from a backup",
    ),
    "first commit without its metadata": Case(
        lambda log: commit_file(log, 0).write_text(commit_file(log, 0).read_text("utf-8").split("\n")[0] + "\n"),
        "no commit in {log} holds a metaData action); restore them from a backup",
    ),
    "checksum of other metadata": Case(
        lambda log: _rewrite(checksum_file(log), lambda checksum: checksum["metadata"].update(description="other")),
        "{log}/00000000000000000004.crc and the commits of {log} hold different metadata)",
    ),
}
"""Damage of a log of which every commit is needed."""

WITH_CHECKPOINT = {
    "middle commit cut": Case(lambda log: cut(commit_file(log, 2)), None),
    "middle commit missing": Case(lambda log: commit_file(log, 2).unlink(), None),
    "first commits missing": Case(_lose_early_commits, None),
    "checkpoint missing": Case(lambda log: checkpoint_file(log).unlink(), None),
    "checkpoint and the commits before it missing": Case(
        _lose_checkpoint_and_commits,
        "{log} lacks 00000000000000000000.json, 00000000000000000001.json, 00000000000000000002.json, and later commits"
        " are there); restore them from a backup",
    ),
}
"""Damage of a log of which the commits before the checkpoint are not needed."""

CLASSIC = {
    "checkpoint cut": Case(lambda log: cut(checkpoint_file(log)), "{checkpoint}" + _FOOTER + _BOTH),
    "checkpoint empty": Case(lambda log: checkpoint_file(log).write_bytes(b""), "{checkpoint}" + _FOOTER + _BOTH),
    "checkpoint cut, and the commits before it missing": Case(
        _cut_checkpoint_and_lose_commits, "{checkpoint}" + _FOOTER + _BACKUP
    ),
}
"""Damage of a checkpoint in parquet."""

SECOND = {
    "checkpoint cut": Case(lambda log: cut(checkpoint_file(log)), "{checkpoint} is cut off or damaged in line "),
    "checkpoint empty": Case(lambda log: checkpoint_file(log).write_bytes(b""), "{checkpoint} is empty)" + _BOTH),
    "sidecar cut": Case(lambda log: cut(sidecar_file(log)), _FOOTER + _BOTH),
    "sidecar missing": Case(
        lambda log: sidecar_file(log).unlink(), "is not there, and 00000000000000000003.checkpoint."
    ),
}
"""Damage of a checkpoint of the second version, in JSON."""


_ACCESSES = (
    (builtins, "open"),
    (io, "open"),
    (os, "listdir"),
    (os, "scandir"),
    (os, "stat"),
    (os, "link"),
    (os, "mkdir"),
)


class Interruptions:
    """Runs writers before accesses to files in a folder.

    Args:
        folder: The folder; other files are not counted.
        writers: What is run, by the number of the access before which it is run, beginning with 0.
        torn: Whether what a writer does before a listing is done while it is made: then the listing has the old names
            and the newest of the new ones.
    """

    def __init__(self, folder: Path, writers: Mapping[int, Callable[[], None]], *, torn: bool = False) -> None:
        self.folder = str(folder)
        self.writers = dict(writers)
        self.torn = torn
        self.count = 0
        self._is_writing = False

    def access(self, path: object) -> bool:
        """Count an access, and run the writer that is due; return whether there was one."""
        if self._is_writing or not self.folder or not str(path).startswith(self.folder):
            return False
        writer = self.writers.pop(self.count, None)
        self.count += 1
        if writer is None:
            return False
        self._is_writing = True
        try:
            writer()
        finally:
            self._is_writing = False
        return True

    def listing(self, listed: Callable[[], Any], path: object) -> Any:
        """Return a listing, which may be torn."""
        if not self.torn or self._is_writing or self.count not in self.writers:
            self.access(path)
            return listed()
        before = list(listed())
        self.access(path)
        try:
            new = sorted(set(listed()) - set(before), key=_name)
        except OSError:
            return before
        return [*before, *new[-1:]]

    @contextmanager
    def active(self) -> Iterator[None]:
        """Count accesses by this process in the block, also those through pyarrow and the opening of deltalake."""
        import deltalake  # noqa: PLC0415 - it is patched

        patches = [patch.object(module, name, self._counted(getattr(module, name), name)) for module, name in _ACCESSES]
        made, opened = stored.file_system, deltalake.DeltaTable

        def open_table(location: str, **options: Any) -> Any:
            self.access(location)
            return opened(location, **options)

        def open_store(location: str, options: Mapping[str, str]) -> Any:
            self.access(self.folder)
            return _Store(self, made(location, options))

        patches.append(patch.object(stored, "file_system", open_store))
        patches.append(patch.object(deltalake, "DeltaTable", open_table))
        for one in patches:
            one.start()
        try:
            yield
        finally:
            for one in patches:
                one.stop()

    def _counted(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(path: Any = ".", *args: Any, **options: Any) -> Any:
            if name == "listdir" and str(path).startswith(self.folder):
                return self.listing(lambda: function(path), path)
            self.access(path)
            return function(path, *args, **options)

        return call


def damage_of(files: LogFiles) -> LogFault | None:
    """Return the damage in the files that a reader of the newest version needs; ``None`` if none is certain."""
    try:
        DeltaLog(files).newest()
    except LogFault as fault:
        return fault if fault.is_certain else None
    return None


class _Store:
    """The file system of a log, as pyarrow has it."""

    def __init__(self, interruptions: Interruptions, store: Any) -> None:
        self._interruptions, self._store = interruptions, store

    def get_file_info(self, selector: Any) -> Any:
        folder = self._interruptions.folder
        if isinstance(selector, str):
            self._interruptions.access(folder)
            return self._store.get_file_info(selector)
        return self._interruptions.listing(lambda: self._store.get_file_info(selector), folder)

    def open_input_file(self, path: str) -> Any:
        self._interruptions.access(self._interruptions.folder)
        return self._store.open_input_file(path)


def _name(entry: Any) -> str:
    return entry if isinstance(entry, str) else str(entry.base_name)


@dataclass(frozen=True, slots=True, kw_only=True)
class FutureLog:
    """A log of one commit, and what readers of logs show of it.

    Args:
        actions: The actions of the commit: the protocol, the metadata, and others.
        shown: The type of the column ``t``, as messages show it.
        is_known: Whether Delta 4.4.0 stores that type.
        property: A property with its value that the table shows.
    """

    actions: tuple[dict[str, Any], ...]
    shown: str = "bigint"
    is_known: bool = True
    property: tuple[str, str] = ("delta.minWriterVersion", "2")

    def write(self, folder: Path) -> Path:
        """Write the log to a folder."""
        return commit(folder, 0, *self.actions)

    def state(self, name: QualifiedName) -> TableState:
        """Return the state of the table."""
        return LogFacts(self.actions[1]["metaData"], self.actions[0]["protocol"]).state(name)


def of_type(kind: Any, shown: str, **field_metadata: Any) -> FutureLog:
    """Return a table whose column ``t`` has a type that Delta 4.4.0 does not store."""
    fields = field("id"), field("t", kind, **field_metadata)
    return FutureLog(actions=(protocol(), metadata(*fields)), shown=shown, is_known=False)


def for_readers(feature: str) -> FutureLog:
    """Return a table whose readers have to know a feature."""
    features = {"readerFeatures": [feature], "writerFeatures": [feature]}
    needed = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}}
    return FutureLog(actions=(needed, PLAIN), property=(f"delta.feature.{feature}", "supported"))


PLAIN = metadata(field("id"), field("t"))
WITHOUT_SCHEMA = {"metaData": {key: value for key, value in PLAIN["metaData"].items() if key != "schemaString"}}

GEOGRAPHIES = {"type": "array", "elementType": "geography(OGC:CRS84, SPHERICAL)", "containsNull": True}
RANGE = {"type": "range", "bound": "long"}
QUANTUM, ENTANGLED = "delta.enableQuantumFiles", "entangled"

READABLE_LOGS = {
    "nanoseconds": of_type("timestamp_ns", "timestamp_ns"),
    "geometry": of_type("geometry(OGC:CRS84)", "geometry(OGC:CRS84)"),
    "geographies": of_type(GEOGRAPHIES, "array<geography(OGC:CRS84, SPHERICAL)>"),
    "collated string": of_type("string", "string collate UTF8_LCASE", __COLLATIONS={"t": "spark.UTF8_LCASE"}),
    "interval": of_type("interval day to second", "interval day to second"),
    "time of day": of_type("time(6)", "time(6)"),
    "type as an object": of_type(RANGE, '{"bound": "long", "type": "range"}'),
    "metadata of a field": FutureLog(actions=(protocol(), metadata(field("id"), field("t", retention={"days": 7})))),
    "vacuum protocol check": for_readers("vacuumProtocolCheck"),
    "feature for readers": for_readers("quantumFiles"),
    "feature for writers": FutureLog(
        actions=(protocol("quantumFiles"), PLAIN), property=("delta.feature.quantumFiles", "supported")
    ),
    "protocol version": FutureLog(
        actions=({"protocol": {"minReaderVersion": 9, "minWriterVersion": 9}}, PLAIN),
        property=("delta.minReaderVersion", "9"),
    ),
    "property": FutureLog(
        actions=(protocol(), metadata(field("id"), field("t"), delta__enableQuantumFiles=ENTANGLED)),
        property=(QUANTUM, ENTANGLED),
    ),
    "action": FutureLog(actions=(protocol(), PLAIN, {"entangle": {"with": "a table of another catalog"}})),
}
"""Logs by what is unknown in them; each table has the columns ``id`` and ``t``."""

NO_SCHEMA = "metadata without a schema"

FUTURE_LOGS = {**READABLE_LOGS, NO_SCHEMA: FutureLog(actions=(protocol(), WITHOUT_SCHEMA))}
"""The same, and a log that does not say which columns its table has."""


_PROTOCOL = {
    "protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["clustering", "domainMetadata"]}
}
RECLUSTERED = 3
"""Each commit whose number is a multiple of it changes the clustering columns."""


class Shown(NamedTuple):
    """What a reader shows of a table at one moment, with the number of the commit in each part."""

    comment: str
    columns: tuple[str, ...]
    value: str
    clustering: str


ABSENT = Shown("", (), "", "")


def clustering_by(column: str) -> dict[str, Any]:
    """Write the domain that holds clustering columns."""
    configuration = json.dumps({"clusteringColumns": [[column]]})
    return {"domain": "delta.clustering", "configuration": configuration, "removed": False}


class WrittenTable:
    """A table in a folder; each commit states other metadata, adds a file and removes the one before it.

    ``states``, ``histories`` and ``files`` hold what was true at a moment: the newest version, its commits in the log,
    and its data files.
    """

    def __init__(self, folder: Path, *, has_checkpoint: bool) -> None:
        self.folder = folder
        self.log = folder / "_delta_log"
        self.states: list[Shown] = []
        self.histories: list[tuple[str, ...]] = []
        self.files: list[str] = []
        self.created = 0
        self.next = 0
        self._marks: dict[int, str] = {}
        for _ in range(4):
            self.commit()
        if has_checkpoint:
            self.checkpoint()
            self.commit()

    def begin_read(self) -> None:
        """Forget what was true before; ``old_states`` keeps all states."""
        self.old_states = self.states[:-1]
        self.states = self.states[-1:]
        self.histories = self.histories[-1:]
        self.files = self.files[-1:]

    def commit(self, *, has_checksum: bool = True) -> None:
        """Commit the next version, which is the first one if the table was dropped."""
        self.created += not self.next
        number, mark = self.next, f"{self.created}.{self.next}"
        clustered_by = f"k{number - number % RECLUSTERED}"
        stated = metadata(
            field("id"),
            field(f"c{mark}"),
            field(clustered_by),
            comment=mark,
            test__mark=mark,
            delta__appendOnly="false",
        )
        stated["metaData"]["id"] = f"00000000-0000-4000-8000-{self.created:012}"
        clustering = clustering_by(clustered_by)
        actions: list[dict[str, Any]] = [stated]
        if not number % RECLUSTERED:
            actions.append({"domainMetadata": clustering})
        if not number:
            actions.insert(0, _PROTOCOL)
        else:
            old = {"path": f"{self.created}.{number - 1}.parquet", "deletionTimestamp": number, "dataChange": True}
            actions.append({"remove": old})
        data = f"{mark}.parquet"
        self.folder.mkdir(exist_ok=True)
        (self.folder / data).write_text(mark, "utf-8")
        added = {"path": data, "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True}
        actions.append({"add": added})
        actions.append({"txn": {"appId": mark, "version": number}})
        info = {"commitInfo": {"timestamp": TIME + number, "operation": "TEST"}}
        self.put(f"{number:020d}.json", "\n".join(json.dumps(action) for action in (info, *actions)))
        self.next += 1
        self._marks[number] = mark
        self.states.append(Shown(mark, ("id", f"c{mark}", clustered_by), mark, clustered_by))
        self.record()
        if has_checksum:
            checksum = {
                "metadata": stated["metaData"],
                "protocol": _PROTOCOL["protocol"],
                "domainMetadata": [clustering],
            }
            self.put(f"{number:020d}.crc", json.dumps(checksum))

    def put(self, name: str, text: str) -> None:
        """Write a file of the log by a rename, as Spark does."""
        self.log.mkdir(exist_ok=True)
        temporary = self.log / f".{name}.tmp"
        temporary.write_text(text, "utf-8")
        temporary.rename(self.log / name)

    def record(self) -> None:
        """Note which commits and files there are."""
        self.histories.append(tuple(self._marks.values()))
        self.files.append(f"{self.created}.{self.next - 1}.parquet" if self.next else "")

    def checkpoint(self) -> None:
        """Write a checkpoint of the newest version."""
        if not self.next:
            self.commit()
        DeltaTable(str(self.folder)).create_checkpoint()

    def clean_up(self) -> None:
        """Delete the commits before the newest checkpoint, and their checksums, the oldest first, as Delta does."""
        self.checkpoint()
        newest = self.next - 1
        for path in sorted(self.log.iterdir()):
            if path.name[:20].isdigit() and int(path.name[:20]) < newest:
                path.unlink()
                self._marks.pop(int(path.name[:20]), None)
                self.record()

    def vacuum(self) -> None:
        """Delete the data files that the newest version does not have."""
        for path in self.folder.glob("*.parquet"):
            if path.name != self.files[-1]:
                path.unlink()

    def drop(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.next = 0
        self._marks.clear()
        self.states.append(ABSENT)
        self.record()


def _append(table: WrittenTable) -> None:
    table.commit()
    table.commit(has_checksum=False)


def _checkpoint(table: WrittenTable) -> None:
    table.commit()
    table.checkpoint()
    table.commit(has_checksum=False)


def _clean_up(table: WrittenTable) -> None:
    table.commit()
    table.clean_up()


def _overwrite_and_vacuum(table: WrittenTable) -> None:
    table.commit()
    table.vacuum()


def _drop(table: WrittenTable) -> None:
    table.drop()


def _drop_in_part(table: WrittenTable) -> None:
    table.drop()
    table.log.mkdir(parents=True)


def _replace(table: WrittenTable) -> None:
    table.drop()
    for _ in range(3):
        table.commit()


WRITERS: dict[str, Callable[[WrittenTable], None]] = {
    "append": _append,
    "checkpoint": _checkpoint,
    "clean up": _clean_up,
    "overwrite and vacuum": _overwrite_and_vacuum,
    "drop": _drop,
    "drop in part": _drop_in_part,
    "replace": _replace,
}
