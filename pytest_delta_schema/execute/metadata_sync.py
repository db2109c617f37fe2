"""The port to catalogs that keep a record of a table beside the table's Delta log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.entry_differences import EntryDifference


MANAGED_NOTE = "the table is managed: the catalog writes its record in each commit, and the log is read through it"
"""Said of a table whose record was not compared, because the catalog alone has a way to the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataSync:
    """What a sync of one record did.

    Args:
        table: Dotted name of the table.
        differences: In what the record was not level with its log; nothing if it was, and was left alone.
        version: The version of the log that it shows now.
        is_new: Whether it was deleted and made anew, so that the table has another id.
        notes: What else is to be known, such as properties that the catalog cannot store.
    """

    table: str
    differences: tuple[EntryDifference, ...]
    version: int
    is_new: bool = False
    notes: tuple[str, ...] = ()


@runtime_checkable
class SyncsEntries(Protocol):
    """A catalog whose records can fall behind."""

    def sync_entries(self, models: Iterable[Table], *, recreates: bool = True) -> tuple[MetadataSync, ...]:
        """Bring the records of existing tables level with their logs; one that is level already is left alone.

        Args:
            models: The tables.
            recreates: Whether a record may be deleted and created again where there is no other way, as the catalog's
                settings say. An apply, or a read, never does that.

        Returns:
            What was changed, and what there is to note.

        Raises:
            MetadataSyncError: If records cannot be read or brought level; all of them at once, and the others are.
        """
        ...
