"""Checks of catalog entries: compare them with the Delta logs of their tables, and synchronise them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.engine.outcome import Check, Status
from pytest_delta_schema.engine.outcome_parts import entry_changes, failed_outcome, table_outcome
from pytest_delta_schema.errors import DeltaSchemaError, Diagnostic
from pytest_delta_schema.execute.metadata_sync import managed_note
from pytest_delta_schema.plan.entry_differences import entry_differences, unstorable_notes
from pytest_delta_schema.state.catalog_entry import EntryState

if TYPE_CHECKING:
    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.engine.outcome import TableOutcome
    from pytest_delta_schema.execute.metadata_sync import SyncsEntries
    from pytest_delta_schema.models.table import Table


def unreadable_entry(table: Table, gate: Gate) -> TableOutcome | None:
    """Return the outcome of a table whose catalog entry cannot be read; ``None`` if it can.

    Args:
        table: One of the gate's models.
        gate: The gate.
    """
    entry = gate.state().entries.get(gate.declarations.bound(table).name)
    if not isinstance(entry, Diagnostic):
        return None
    return table_outcome(table, gate.declarations, Check.METADATA, Status.UNREADABLE, diagnostics=[entry])


def check_entry(table: Table, gate: Gate) -> TableOutcome:
    """Compare the catalog entry of a table with its Delta log.

    Args:
        table: One of the gate's models.
        gate: The gate.
    """
    name, state = gate.declarations.bound(table).name, gate.state()
    entry, log = state.entries.get(name), state.logs.get(name)
    if isinstance(entry, EntryState) and log is not None:
        changes = entry_changes(name, entry_differences(entry, log))
        if changes:
            status = Status.BLOCKED if log.is_catalog_managed else Status.STALE
            return table_outcome(table, gate.declarations, Check.METADATA, status, changes=changes)
    is_managed = isinstance(entry, EntryState) and entry.is_managed and log is None
    notes = (managed_note(name),) if is_managed else () if log is None else unstorable_notes(name, log)
    return table_outcome(table, gate.declarations, Check.METADATA, Status.IN_SYNC, notes=notes)


def sync_entry(table: Table, catalog: SyncsEntries, declarations: Declarations, *, recreates: bool) -> TableOutcome:
    """Write the metadata of a table's Delta log to its catalog entry; data files are not touched.

    Args:
        table: The model.
        catalog: The catalog.
        declarations: All models under their settings.
        recreates: Whether an entry may be deleted and created again, where the catalog's settings allow it.
    """
    try:
        synced = catalog.sync_entries([declarations.bound(table)], recreates=recreates)
    except DeltaSchemaError as error:
        return failed_outcome(table, declarations, Check.METADATA, error)
    changes = tuple(change for sync in synced for change in entry_changes(sync.table, sync.differences))
    notes = tuple(note for sync in synced for note in sync.notes)
    return table_outcome(
        table, declarations, Check.METADATA, Status.SYNCED if changes else Status.IN_SYNC, changes=changes, notes=notes
    )
