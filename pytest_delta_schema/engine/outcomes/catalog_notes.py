"""Notes on a drift: the commits that added columns, and whether the catalog entry of the table differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.diagnostic_builders import note
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, first_line
from pytest_delta_schema.diagnostics.remarks import ColumnIntroduced, EntryCompared
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.plan.changes import ColumnDrop
from pytest_delta_schema.plan.entry_comparison import ENTRY_PATH, entry_differences
from pytest_delta_schema.state.catalog_entry import EntryState

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.state.catalog_reader import CatalogReader
    from pytest_delta_schema.state.commits import IntroducedBy
    from pytest_delta_schema.state.states import CatalogState

WRITES = frozenset(
    {
        "COPY INTO",
        "CREATE OR REPLACE TABLE AS SELECT",
        "CREATE TABLE AS SELECT",
        "MERGE",
        "REPLACE TABLE AS SELECT",
        "STREAMING UPDATE",
        "UPDATE",
        "WRITE",
    }
)
"""Operations of commits in Delta's history that write rows, and can add columns with them (Delta 4.4.0)."""

_WAYS = 'declare it, drop it, or accept such columns with Table(evolution="additive")'


def notes_of_introduction(action: CreateTable | AlignTable, catalog: CatalogReader) -> list[Diagnostic]:
    """Return a note for each column that an action would drop, with the commit that added it.

    A history that cannot be read is a note as well, and never hides the drift.
    """
    paths = [change.path for change in action.all(ColumnDrop)] if isinstance(action, AlignTable) else []
    if not paths or (isinstance(action, AlignTable) and action.observed.kind):
        return []
    try:
        return [introduction_note(action.table, commit) for commit in catalog.introduced_by(action.table, paths)]
    except DeltaSchemaError as error:
        columns = ", ".join(map(str, paths))
        message = f"the commit that added {columns} is not known: {first_line(error)}"
        return [note(ColumnIntroduced, action.table, columns, message)]


def notes_of_entry(table: QualifiedName, state: CatalogState) -> list[Diagnostic]:
    """Return a note that says which differ: the model, the Delta log, and the catalog's entry, where there is one."""
    entry, log = state.entries.get(table), state.logs.get(table)
    if not isinstance(entry, EntryState) or log is None:
        return []
    number = len(entry_differences(entry, log))
    message = "the model and the Delta log differ; the catalog entry equals the log"
    if number:
        points = "1 point" if number == 1 else f"{number} points"
        message = (
            "the model and the Delta log differ, and the catalog entry differs from the log"
            f" in {points}: see {table}::metadata"
        )
    return [note(EntryCompared, table, ENTRY_PATH, message)]


def introduction_note(table: QualifiedName, commit: IntroducedBy) -> Diagnostic:
    """Return the note about one column."""
    metadata = f" ({commit.user_metadata!r})" if commit.user_metadata else ""
    version = f"version {commit.version}, {commit.operation} of {commit.time} UTC{metadata}"
    name = str(commit.path)
    message = f"column {name} came with {version}"
    if commit.operation in WRITES:
        message = f"column {name} was appended by a writer, in {version}: {_WAYS}"
    return note(ColumnIntroduced, table, name, message)
