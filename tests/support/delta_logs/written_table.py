"""A table of files that writers change, and what it was at each moment."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

from deltalake import DeltaTable

from support.logs import TIME, field, metadata

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_PROTOCOL = {
    "protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["clustering", "domainMetadata"]}
}
RECLUSTERED = 3
"""Each commit whose number is a multiple of it changes the clustering columns."""


class Shown(NamedTuple):
    """What a reader shows of a table at one moment, with the number of the commit in each part.

    Args:
        comment: The comment.
        columns: The names of the columns.
        value: The value of a property.
        clustering: The clustering column.
    """

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
