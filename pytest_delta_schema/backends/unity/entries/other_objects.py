"""Read entries of views and of tables of other formats, which have no log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.unity.entries.wire_format import columns_of_entry
from pytest_delta_schema.backends.unity.problems import other_kind
from pytest_delta_schema.state.states import TableState
from pytest_delta_schema.state.types import ColumnState

if TYPE_CHECKING:
    from pytest_delta_schema.backends.unity.http.answer_types import TableInfo
    from pytest_delta_schema.state.catalog_entry import EntryState


def other_object(head: EntryState, info: TableInfo) -> TableState | None:
    """Return the state of an entry that is not of a Delta table; ``None`` if its kind or its columns are not known."""
    kind = other_kind(head)
    try:
        columns = columns_of_entry(info)
    except ValueError:
        return None
    known = [
        ColumnState(column.name, column.data_type, column.is_nullable, column.comment)
        for column in columns
        if column.data_type is not None
    ]
    if not kind or not known or len(known) != len(columns):
        return None
    return TableState(name=head.name, columns=tuple(known), table_comment=head.comment, kind=kind)
