"""The port to catalogs that store metadata of a table outside the table's Delta log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_delta_schema.diagnostics.diagnostic_builders import note
from pytest_delta_schema.diagnostics.remarks import ManagedEntry
from pytest_delta_schema.plan.entry_comparison import ENTRY_PATH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.entry_comparison import EntryDifference


def managed_note(table: object) -> Diagnostic:
    """Return the note of a table whose entry is not compared, because its newest commits are in the catalog only."""
    fact = "its newest commits are in the catalog only, so its catalog entry and its log are not compared"
    return note(ManagedEntry, table, ENTRY_PATH, fact)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataSync:
    """The result of a metadata sync of one table.

    Args:
        table: Dotted name of the table.
        differences: How the catalog entry differed from the log; empty if it was equal and was not changed.
        version: The version of the log that the entry has now.
        is_new: Whether the entry was deleted and created again, so the table has another id.
        notes: Remarks, such as properties that the catalog cannot store.
    """

    table: str
    differences: tuple[EntryDifference, ...]
    version: int
    is_new: bool = False
    notes: tuple[Diagnostic, ...] = ()


@runtime_checkable
class SyncsEntries(Protocol):
    """A catalog whose entries can become stale."""

    def sync_entries(self, models: Iterable[Table], *, recreates: bool = True) -> tuple[MetadataSync, ...]:
        """Write table metadata from the logs of existing tables to those catalog entries that differ.

        Args:
            models: The tables.
            recreates: Whether an entry may be deleted and created again where there is no other way, as the catalog's
                settings say. An apply or a read never does that.

        Returns:
            What was changed, with notes.

        Raises:
            MetadataSyncError: With all entries that cannot be read or synchronised, after the others were synchronised.
        """
        ...
