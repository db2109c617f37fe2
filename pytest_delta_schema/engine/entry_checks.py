"""Checks of catalog entries: compare them with the Delta logs of their tables, and synchronise them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, Diagnostic, MetadataSyncError
from pytest_delta_schema.engine.outcomes.outcome import CheckKind, Status
from pytest_delta_schema.engine.outcomes.outcome_parts import entry_changes, failed_outcome, table_outcome
from pytest_delta_schema.execute.protocols.metadata_sync import managed_note
from pytest_delta_schema.plan.entry_comparison import entry_differences, unstorable_notes
from pytest_delta_schema.state.catalog_entry import EntryState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.engine.bound_model import BoundModel
    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome
    from pytest_delta_schema.execute.protocols.metadata_sync import SyncsEntries
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table


def unreadable_entry(table: Table, gate: Gate) -> TableOutcome | None:
    """Return the outcome of a table whose catalog entry cannot be read; ``None`` if it can."""
    model = gate.declarations.bound(table)
    entry = gate.state().entries.get(model.name)
    if not isinstance(entry, Diagnostic):
        return None
    return table_outcome(model, gate.declarations, CheckKind.METADATA, Status.UNREADABLE, diagnostics=[entry])


def check_entry(table: Table, gate: Gate) -> TableOutcome:
    """Compare the catalog entry of a table with its Delta log."""
    model, state = gate.declarations.bound(table), gate.state()
    name = model.name
    entry, log = state.entries.get(name), state.logs.get(name)
    if isinstance(entry, EntryState) and log is not None:
        changes = entry_changes(name, entry_differences(entry, log))
        if changes:
            status = Status.BLOCKED if log.is_catalog_managed else Status.STALE
            return table_outcome(model, gate.declarations, CheckKind.METADATA, status, changes=changes)
    is_managed = isinstance(entry, EntryState) and entry.is_managed and log is None
    notes = (managed_note(name),) if is_managed else () if log is None else unstorable_notes(name, log)
    return table_outcome(model, gate.declarations, CheckKind.METADATA, Status.IN_SYNC, notes=notes)


def sync_entries(
    tables: Sequence[Table], catalog: SyncsEntries, declarations: Declarations, *, recreates: bool
) -> dict[QualifiedName, TableOutcome]:
    """Write the metadata of Delta logs to the catalog entries of tables, all at once; data files are not touched.

    ``recreates`` permits that an entry is deleted and created again, where the catalog's settings allow it. It returns
    the outcome of each model, by its name.
    """
    models = list(map(declarations.bound, tables))
    problems: tuple[Diagnostic, ...] = ()
    try:
        synced = catalog.sync_entries((model.table for model in models), recreates=recreates)
    except MetadataSyncError as error:
        synced, problems = error.done, error.diagnostics
    except DeltaSchemaError as error:
        return {model.model.name: failed_outcome(model, declarations, CheckKind.METADATA, error) for model in models}
    syncs = {folded(sync.table): sync for sync in synced}
    faults = {folded(problem.table): problem for problem in problems}

    def outcome(model: BoundModel) -> TableOutcome:
        name = folded(str(model.name))
        if name in faults:
            return failed_outcome(model, declarations, CheckKind.METADATA, MetadataSyncError([faults[name]]))
        sync = syncs.get(name)
        changes = () if sync is None else entry_changes(sync.table, sync.differences)
        status = Status.SYNCED if changes else Status.IN_SYNC
        notes = () if sync is None else sync.notes
        return table_outcome(model, declarations, CheckKind.METADATA, status, changes=changes, notes=notes)

    return {model.model.name: outcome(model) for model in models}
