"""Writers of Delta logs in processes of their own, which write until they are told to stop."""

from __future__ import annotations

import itertools
import json
import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.delta_logs.written_table import WrittenTable, clustering_by

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

MILLISECOND = 0.001
"""The pause between two rounds."""

LONG_LOGS = {"renames-700": 700, "renames-1500": 1500}
"""How many commits a log has at first."""

FEW = 50
"""How many commits are kept, where a log would become long."""


def write(kind: str, folder: str, parent: Connection) -> None:
    """Write until there is a message; send how many rounds were written, or the error.

    Args:
        kind: One of ``WRITERS``.
        folder: The folder of the table.
        parent: The other end gets a message when there is a table.
    """
    number = 0
    try:
        for number, _ in enumerate(WRITERS[kind](Path(folder))):
            if number == 0:
                parent.send("ready")
            if parent.poll(MILLISECOND):
                break
        parent.send(number)
    except Exception:  # noqa: BLE001 - the case reports it
        parent.send(traceback.format_exc())


def _deltalake(folder: Path) -> Iterator[None]:
    """Append, and write a checkpoint after every second commit."""
    import pyarrow as pa  # noqa: PLC0415 - only one kind needs it
    from deltalake import DeltaTable, write_deltalake  # noqa: PLC0415 - as above

    rows = pa.table({"id": [1, 2]})
    write_deltalake(str(folder), rows, description="1.0")
    for number in itertools.count():
        yield
        write_deltalake(str(folder), rows, mode="append")
        if number % 2:
            DeltaTable(str(folder)).create_checkpoint()


def _renames(length: int, folder: Path) -> Iterator[None]:
    """Commit every millisecond to a long log, by renaming temporary files."""
    table = WrittenTable(folder, has_checkpoint=False)
    # Without the domain, a reader of clustering columns would read all commits.
    action = json.dumps({"domainMetadata": clustering_by(table.states[-1].clustering)})
    for number in itertools.count(table.next):
        table.put(f"{number:020d}.json", action)
        if number >= length:
            yield


def _comments(folder: Path) -> Iterator[None]:
    """Change the comment, a column, a property and the clustering in every commit."""
    table = WrittenTable(folder, has_checkpoint=True)
    for number in itertools.count(1):
        yield
        table.commit(has_checksum=bool(number % 3))
        if not number % FEW:
            table.clean_up()
            table.vacuum()


def _vacuum(folder: Path) -> Iterator[None]:
    """Overwrite all files, and delete the old ones."""
    table = WrittenTable(folder, has_checkpoint=False)
    for number in itertools.count(1):
        yield
        table.commit()
        table.vacuum()
        if not number % FEW:
            table.clean_up()


def _clean_up(folder: Path) -> Iterator[None]:
    """Write a checkpoint after every third commit, and delete all commits before it."""
    table = WrittenTable(folder, has_checkpoint=True)
    for number in itertools.count(1):
        yield
        table.commit()
        if not number % 3:
            table.clean_up()


def _drop(folder: Path) -> Iterator[None]:
    """Drop the table and create it again."""
    table = WrittenTable(folder, has_checkpoint=False)
    for number in itertools.count(1):
        yield
        table.commit()
        if not number % 3:
            table.drop()


WRITERS: dict[str, Any] = {
    "deltalake": _deltalake,
    **{kind: partial(_renames, length) for kind, length in LONG_LOGS.items()},
    "comments": _comments,
    "vacuum": _vacuum,
    "clean-up": _clean_up,
    "drop": _drop,
}
