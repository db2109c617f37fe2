"""Ask a catalog who brought the columns that models do not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import DeltaSchemaError, because
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.plan.table_plan import Note
from pytest_delta_schema.report.writers import origin_notes

if TYPE_CHECKING:
    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.state.states import CatalogReader


def notes_of_origin(action: CreateTable | AlignTable, catalog: CatalogReader) -> list[Note]:
    """Return a note for each column that an action would drop, with the commit that brought it.

    A history that cannot be read is a note as well, and never hides the drift.
    """
    paths = [change.path for change in action.drop_columns] if isinstance(action, AlignTable) else []
    if not paths:
        return []
    try:
        return origin_notes(action.table, catalog.column_origins(action.table, paths))
    except DeltaSchemaError as error:
        columns = ", ".join(".".join(path) for path in paths)
        return [Note(table=action.table, path=columns, message=f"who brought {columns} is not known: {because(error)}")]
