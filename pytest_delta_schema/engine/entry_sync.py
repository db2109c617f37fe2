"""Synchronise the catalog entries of tables that an apply has aligned, or found aligned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.execute.protocols.metadata_sync import SyncsEntries
from pytest_delta_schema.plan.entry_comparison import stale_entries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.catalog_reader import CatalogReader
    from pytest_delta_schema.state.states import CatalogState


def sync_stale_entries(tables: Iterable[Table], catalog: CatalogReader, state: CatalogState) -> bool:
    """Write the metadata of Delta logs to the catalog entries that were read to differ from them.

    No entry is deleted for it. It returns whether an entry was changed, or has a note.

    Raises:
        MetadataSyncError: With all entries that cannot be written, such as those of managed tables.
    """
    if not isinstance(catalog, SyncsEntries):
        return False
    stale = stale_entries(state)
    differing = [table for table in tables if table.name in stale]
    return bool(differing) and bool(catalog.sync_entries(differing, recreates=False))
