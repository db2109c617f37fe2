"""Read constraints of tables and of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.exchange.table_draft import KeyDraft
from pytest_delta_schema.state.states import PRIMARY_KEY, UNIQUE, CheckState

if TYPE_CHECKING:
    from pytest_delta_schema.exchange.ddl_reading import DdlReading
    from pytest_delta_schema.exchange.table_draft import TableDraft
    from pytest_delta_schema.exchange.token_reader import TokenReader

_STARTS = {("PRIMARY", "KEY"), ("FOREIGN", "KEY"), ("UNIQUE", "("), ("CHECK", "(")}
_HARMLESS = (
    ("NOT", "ENFORCED"), ("ENFORCED",), ("NOT", "DEFERRABLE"), ("DEFERRABLE",), ("INITIALLY", "DEFERRED"),
    ("INITIALLY", "IMMEDIATE"), ("NORELY",), ("MATCH", "FULL"), ("ON", "UPDATE", "NO", "ACTION"),
    ("ON", "DELETE", "NO", "ACTION"),
)  # fmt: skip
"""What may follow a key, and is what every key of a model has (source: Databricks' reference of constraints)."""

_FOREIGN_KEY = "foreign key"


def is_at_constraint(reader: TokenReader) -> bool:
    """Whether a constraint of a table comes next, and not a column."""
    at = 2 if reader.word() == "CONSTRAINT" else 0
    return (reader.word(at), reader.word(at + 1)) in _STARTS


def read_constraint(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    """Read a constraint of a table.

    Raises:
        UnreadableError: If it is not understood.
    """
    name = reader.name("the name of a constraint") if reader.has("CONSTRAINT") else None
    if reader.has("CHECK"):
        read_check(reader, draft, name)
    elif reader.has("PRIMARY", "KEY"):
        columns = []
        for item in reader.items():
            columns.append(item.name("the name of a column"))
            if item.has("TIMESERIES"):
                reading.remark(draft.name, f"TIMESERIES of {columns[-1]} in its primary key is not declared")
            item.end()
        _add(draft, KeyDraft(kind=PRIMARY_KEY, name=name, columns=tuple(columns), rely=_rely(reader)), reader)
    elif reader.has("UNIQUE"):
        _add_unique(reader, reading, draft, name, _names(reader))
    else:
        reader.expect("FOREIGN", "KEY")
        children = _names(reader)
        reader.expect("REFERENCES")
        _add_reference(reader, reading, draft, name, children)
    reader.end()


def read_column_constraint(reader: TokenReader, reading: DdlReading, draft: TableDraft, column: str) -> bool:
    """Read a constraint that follows the type of a column, if one comes next.

    Raises:
        UnreadableError: If it is not understood.
    """
    name = reader.name("the name of a constraint") if reader.has("CONSTRAINT") else None
    columns = (column,)
    if reader.has("PRIMARY", "KEY"):
        _add(draft, KeyDraft(kind=PRIMARY_KEY, name=name, columns=columns, rely=_rely(reader)), reader)
    elif reader.has("UNIQUE"):
        _add_unique(reader, reading, draft, name, columns)
    elif reader.has("FOREIGN", "KEY", "REFERENCES") or reader.has("REFERENCES"):
        _add_reference(reader, reading, draft, name, columns)
    elif reader.has("CHECK"):
        read_check(reader, draft, name)
    elif name is not None:
        reader.refuse(f"the kind of the constraint {name} is expected {reader.here}")
    else:
        return False
    return True


def read_check(reader: TokenReader, draft: TableDraft, name: str | None) -> None:
    """Read the condition of a check.

    Raises:
        UnreadableError: If it is not understood, or has no name.
    """
    if name is None:
        reader.refuse("a check has no name", "write CONSTRAINT name CHECK (...)")
    draft.checks.append(CheckState(name, reader.expression()))
    while any(reader.has(*words) for words in _HARMLESS):
        pass


def _add_unique(
    reader: TokenReader, reading: DdlReading, draft: TableDraft, name: str | None, columns: tuple[str, ...]
) -> None:
    if _rely(reader):
        reading.remark(draft.name, f"RELY of its unique constraint ({', '.join(columns)}) is not declared")
    _add(draft, KeyDraft(kind=UNIQUE, name=name, columns=columns), reader)


def _add_reference(
    reader: TokenReader, reading: DdlReading, draft: TableDraft, name: str | None, columns: tuple[str, ...]
) -> None:
    parent = reading.table_name(reader)
    parents = _names(reader) if reader.word() == "(" else ()
    rely = _rely(reader)
    key = KeyDraft(kind=_FOREIGN_KEY, name=name, columns=columns, parent=parent, parent_columns=parents, rely=rely)
    _add(draft, key, reader)


def _add(draft: TableDraft, key: KeyDraft, reader: TokenReader) -> None:
    if key.kind == PRIMARY_KEY and any(other.kind == PRIMARY_KEY for other in draft.keys):
        reader.refuse(f"{draft.name} has a second primary key", "keep one")
    draft.keys.append(key)


def _names(reader: TokenReader) -> tuple[str, ...]:
    names = []
    for item in reader.items():
        names.append(item.name("the name of a column"))
        item.end()
    return tuple(names)


def _rely(reader: TokenReader) -> bool:
    """Read what follows a key, and return whether it has RELY."""
    relies = False
    while True:
        if reader.has("RELY"):
            relies = True
        elif not any(reader.has(*words) for words in _HARMLESS):
            return relies
