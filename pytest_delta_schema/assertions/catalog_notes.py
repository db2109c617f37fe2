"""What a catalog knows beside a table's state: who brought its columns, and what its own record shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import DeltaSchemaError, because
from pytest_delta_schema.execute.metadata_sync import SyncsEntries
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.plan.changes import ColumnDrop
from pytest_delta_schema.plan.entry_differences import entry_differences
from pytest_delta_schema.plan.table_plan import Note
from pytest_delta_schema.report.introduced_text import origin_notes
from pytest_delta_schema.report.text import counted
from pytest_delta_schema.state.catalog_entry import EntryState

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.state.states import CatalogReader, CatalogState


def notes_of_origin(action: CreateTable | AlignTable, catalog: CatalogReader) -> list[Note]:
    """Return a note for each column that an action would drop, with the commit that brought it.

    A history that cannot be read is a note as well, and never hides the drift.
    """
    paths = [change.path for change in action.all(ColumnDrop)] if isinstance(action, AlignTable) else []
    if not paths:
        return []
    try:
        return origin_notes(action.table, catalog.introduced_by(action.table, paths))
    except DeltaSchemaError as error:
        columns = ", ".join(".".join(path) for path in paths)
        return [Note(table=action.table, path=columns, message=f"who brought {columns} is not known: {because(error)}")]


def heal_entry(table: Table, catalog: CatalogReader, state: CatalogState) -> bool:
    """Bring the record of an external table level, if it was read not to be; none is deleted for it.

    Args:
        table: The table.
        catalog: Where it is.
        state: What was read there.

    Returns:
        Whether it was not level.

    Raises:
        DeltaSchemaError: If it cannot be brought level.
    """
    record, log = state.records.get(table.name), state.logs.get(table.name)
    if not isinstance(catalog, SyncsEntries) or not isinstance(record, EntryState) or log is None:
        return False
    if record.is_managed or not entry_differences(record, log):
        return False
    return bool(catalog.sync_entries([table], recreates=False))


def notes_of_entry(table: QualifiedName, state: CatalogState) -> list[Note]:
    """Return a note that says which of the three differ: model, log, and the catalog's record, where there is one."""
    record, log = state.records.get(table), state.logs.get(table)
    if not isinstance(record, EntryState) or log is None:
        return []
    number = len(entry_differences(record, log))
    message = "the model and the Delta log differ; the catalog's record is level with the log"
    if number:
        beside = f"and the catalog's record differs from the log in {counted(number, 'point')}: see {table}::metadata"
        message = f"the model and the Delta log differ, {beside}"
    return [Note(table=table, path="record", message=message)]
